# Read by `run` and `test`, which set $root: finds Python and makes sure that .venv is complete.

venv_python=$root/.venv/bin/python

find_python() {
  for candidate in "${GPUPLAN_PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python; do
    [ -n "$candidate" ] || continue
    if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  echo "gpuplan needs Python 3.11 or newer and found none: install it, or name it, as in GPUPLAN_PYTHON=/path/to/python3 $0" >&2
  return 2
}

# A stamp is a copy of the lock file that was installed, written last: no stamp, or another one, means set-up.
ensure_env() {
  case $1 in
    run) lock=requirements.lock ;;
    test) lock=requirements-dev.lock ;;
  esac
  if cmp -s "$root/$lock" "$root/.venv/$lock" && [ -x "$venv_python" ]; then
    return
  fi
  python=$(find_python) || exit $?
  "$python" "$root/tools/env.py" "$lock" || exit $?
}
