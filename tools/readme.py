"""Keeps the outputs in the READMEs real: runs each command shown there and puts its output below it.

    python tools/readme.py            writes them anew
    python tools/readme.py --check    ends with 1 where a command fails or its output has another shape

A shape is the headings and labels without figures: prices and machines change, what is told does not.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READMES = {"README.md": "en", "README.zh.md": "zh"}
BLOCK = re.compile(r"```console\n\$ (?P<command>\./run[^\n]*)\n(?P<output>.*?)```", re.DOTALL)


def main(check: bool) -> int:
    """Write, or compare, every block of every README."""
    wrong = []
    for name, lang in READMES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        fresh = refreshed(text, lang)
        if not check:
            (ROOT / name).write_text(fresh, encoding="utf-8")
        pairs = zip(BLOCK.finditer(text), BLOCK.finditer(fresh), strict=True)
        wrong += [f"{name}: {old['command']}" for old, new in pairs if shape(old["output"]) != shape(new["output"])]
    if check and wrong:
        print("\n".join(["outdated, run python tools/readme.py:", *wrong]), file=sys.stderr)
    return int(check and bool(wrong))


def refreshed(text: str, lang: str) -> str:
    """The text with every output as the program prints it now."""
    return BLOCK.sub(lambda block: _block(block["command"], _output(block["command"], lang)), text)


def shape(output: str) -> list[str]:
    """Headings, and the labels that stand before two spaces."""
    labels = []
    for line in output.splitlines():
        if line and not line.startswith(" "):
            labels.append(re.sub(r"[\d,.]+", "#", line.split(":")[0].split("：")[0])[:24])
        elif re.match(r"  [^\W\d_][^:]*?  ", line):
            labels.append(line.strip().split("  ")[0])
    return labels


def _output(command: str, lang: str) -> str:
    words = shlex.split(command)[1:] or ["plan", "--question", "examples/question.toml"]
    env = {**os.environ, "GPUPLAN_LANG": lang, "GPUPLAN_COMMAND": "./run", "COLUMNS": "100"}
    call = [sys.executable, "-m", "gpuplan", *words]
    done = subprocess.run(call, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def _block(command: str, output: str) -> str:
    return f"```console\n$ {command}\n{output.rstrip()}\n```"


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv))
