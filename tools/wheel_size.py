"""Builds the wheel in a temporary folder and refuses one that is too large to download with ease."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_BYTES = 8_000_000


def main() -> int:
    """0 where the wheel is small enough."""
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, str(ROOT)]
        done = subprocess.run(build, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(done.stdout, done.stderr, file=sys.stderr)
            return 1
        (wheel,) = Path(folder).glob("*.whl")
        size = wheel.stat().st_size
    print(f"{wheel.name}: {size / 1e6:.2f} MB (at most {MOST_BYTES / 1e6:.0f} MB)")
    return int(size > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
