"""Do the tests bite? Small faults are sown into the arithmetic, one at a time; a test must notice each.

    python benchmarks/mutants.py [--number 200] [--seed 1] [--jobs 2] [--least 0.8]

Writes benchmarks/mutants.md. Ends with 1 where fewer than `--least` of the faults were noticed.
"""

import argparse
import ast
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "benchmarks" / "mutants.md"
PACKAGES = ("model", "run", "money", "search", "calibrate")
TESTS = ("tests/unit", "tests/laws", "tests/money", "tests/golden")
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
TINY = 1e-9
"""Smaller constants only keep a division from failing."""
TWINS = {"maximum": "minimum", "minimum": "maximum", "max": "min", "min": "max", "ceil": "floor", "floor": "ceil"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One fault: a piece of a file and what stands there instead."""

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str


def main() -> int:
    arguments = _arguments()
    mutants = [mutant for path in _sources() for mutant in mutants_of(path)]
    chosen = random.Random(arguments.seed).sample(mutants, min(arguments.number, len(mutants)))
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copies: queue.Queue[Path] = queue.Queue()
        for i in range(arguments.jobs):
            copies.put(_copy(Path(folder) / str(i)))
        limit_s = _baseline_s(copies.queue[0])
        with ThreadPoolExecutor(arguments.jobs) as pool:
            killed = list(pool.map(lambda mutant: _is_noticed(mutant, copies, limit_s), chosen))
    report = _report(chosen, killed, len(mutants), arguments.seed, time.monotonic() - started)
    REPORT.write_text(report, encoding="utf-8")
    print(report)
    return int(sum(killed) < arguments.least * len(chosen))


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every fault that can be sown into a file."""
    text = path.read_text(encoding="utf-8")
    offsets = [0]
    for line in text.encode().splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    for node in _arithmetic(ast.parse(text)):
        for after in _variants(node):
            yield Mutant(
                path=str(path.relative_to(ROOT)),
                line=node.lineno,
                start=offsets[node.lineno - 1] + node.col_offset,
                end=offsets[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0),
                before=ast.unparse(node),
                after=after,
            )


def _arithmetic(tree: ast.AST) -> Iterator[ast.expr]:
    """Expressions inside functions, without annotations, messages and indices."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                yield from _expressions(statement)
        elif isinstance(node, ast.ClassDef):
            yield from _arithmetic(node)


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Assert | ast.Raise | ast.JoinedStr) or _is_shape_of_zero(node):
        return
    if isinstance(node, ast.expr):
        yield node
    for name, child in ast.iter_fields(node):
        if name in ("annotation", "slice"):
            continue
        for item in child if isinstance(child, list) else [child]:
            if isinstance(item, ast.AST):
                yield from _expressions(item)


def _is_shape_of_zero(node: ast.AST) -> bool:
    """`0.0 * x` gives x's shape; x cannot change it."""
    match node:
        case ast.BinOp(ast.Constant(value), ast.Mult(), _):
            return value == 0
    return False


def _variants(node: ast.expr) -> Iterator[str]:
    """What may stand in place of an expression."""
    match node:
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS and not _is_text(left, right):
            yield f"({ast.unparse(ast.BinOp(left, OPERATORS[type(operator)](), right))})"
        case ast.Compare(left, [operator], right) if type(operator) in COMPARISONS:
            yield f"({ast.unparse(ast.Compare(left, [COMPARISONS[type(operator)]()], right))})"
        case ast.Constant(bool() as value):
            yield str(not value)
        case ast.Constant(int() | float() as value) if value == 0 or abs(value) > TINY:
            yield repr(value + 1 if abs(value) < 100 else value * 2)
        case ast.Call(ast.Attribute(owner, name), arguments) if name in TWINS:
            yield ast.unparse(ast.Call(ast.Attribute(owner, TWINS[name]), arguments, node.keywords))
        case ast.Call(ast.Name(name), arguments) if name in TWINS:
            yield ast.unparse(ast.Call(ast.Name(TWINS[name]), arguments, node.keywords))
        case ast.Call(ast.Attribute(_, "where"), [condition, yes, no]):
            yield ast.unparse(ast.Call(node.func, [condition, no, yes], node.keywords))
        case ast.IfExp(test, yes, no):
            yield f"({ast.unparse(ast.IfExp(test, no, yes))})"
        case ast.UnaryOp(ast.USub(), value):
            yield f"({ast.unparse(value)})"


def _is_text(*nodes: ast.expr) -> bool:
    return any(
        isinstance(n, ast.JoinedStr) or (isinstance(n, ast.Constant) and isinstance(n.value, str)) for n in nodes
    )


def _sources() -> list[Path]:
    return sorted(path for name in PACKAGES for path in (ROOT / "src" / "gpuplan" / name).rglob("*.py"))


def _copy(folder: Path) -> Path:
    """The parts of the project that the tests need, where they may be broken."""
    folder.mkdir()
    skip = shutil.ignore_patterns("__pycache__", "*.pyc", ".hypothesis")
    for name in ("src", "tests", "docs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def _test(folder: Path, limit_s: float, first: list[str]) -> bool:
    """True where every test passes in time."""
    env = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    tests = [*first, *TESTS]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "--no-header",
        "-m",
        "not full",
        "--hypothesis-seed=1",
        *tests,
    ]
    try:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _baseline_s(folder: Path) -> float:
    """Time limit of one mutant: six times what the unbroken project needs."""
    started = time.monotonic()
    if not _test(folder, 1200, []):
        sys.exit("the tests fail without any mutant: mend them first")
    return 20 + 6 * (time.monotonic() - started)


def _is_noticed(mutant: Mutant, copies: "queue.Queue[Path]", limit_s: float) -> bool:
    folder = copies.get()
    path = folder / mutant.path
    whole = path.read_bytes()
    try:
        path.write_bytes(whole[: mutant.start] + mutant.after.encode() + whole[mutant.end :])
        return not _test(folder, limit_s, _closest_tests(folder, mutant))
    finally:
        path.write_bytes(whole)
        copies.put(folder)


def _closest_tests(folder: Path, mutant: Mutant) -> list[str]:
    """Test files named after the broken module, to be run first."""
    stem = Path(mutant.path).stem
    found = [path for name in TESTS for path in (folder / name).glob(f"test_*{stem}*.py")]
    return [str(path.relative_to(folder)) for path in found]


def _report(chosen: list[Mutant], killed: list[bool], total: int, seed: int, took_s: float) -> str:
    lines = [
        "# Mutants: do the tests bite?",
        "",
        f"{sum(killed)} of {len(chosen)} sown faults were noticed ({sum(killed) / len(chosen):.0%}), "
        f"sampled from {total} with seed {seed}; {took_s / 60:.0f} minutes.",
        "Regenerate with `python benchmarks/mutants.py`.",
        "",
        "| part | noticed | sown |",
        "|---|---|---|",
    ]
    sown = Counter(_package(mutant) for mutant in chosen)
    noticed = Counter(_package(mutant) for mutant, dead in zip(chosen, killed, strict=True) if dead)
    lines += [f"| {name} | {noticed[name]} | {n} |" for name, n in sorted(sown.items())]
    lines += ["", "## Not noticed", "", "| where | was | became |", "|---|---|---|"]
    for mutant, dead in sorted(zip(chosen, killed, strict=True), key=lambda pair: (pair[0].path, pair[0].line)):
        if not dead:
            lines.append(f"| {mutant.path}:{mutant.line} | `{_short(mutant.before)}` | `{_short(mutant.after)}` |")
    return "\n".join(lines) + "\n"


def _package(mutant: Mutant) -> str:
    return Path(mutant.path).parts[2]


def _short(code: str) -> str:
    code = " ".join(code.split()).replace("|", "\\|")
    return code if len(code) <= 70 else code[:67] + "..."


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--least", type=float, default=0.8)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
