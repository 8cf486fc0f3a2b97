"""What the READMEs show is what the program prints, and what they promise in Python works."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh.md")


def test_the_outputs_in_the_readmes_are_those_of_the_program() -> None:
    call = [sys.executable, "tools/readme.py", "--check"]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", READMES)
def test_the_python_in_a_readme_runs(name: str) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "fits"


@pytest.mark.parametrize("name", (*READMES, "CONTRIBUTING.md", "CHANGELOG.md"))
def test_links_to_files_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_both_readmes_have_the_same_sections() -> None:
    counts = [len(re.findall(r"^## ", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)) for name in READMES]
    assert counts[0] == counts[1]
