"""Builds costs.jsonl and failures.jsonl in src/gpuplan/data/files from the collected facts: `--shared DIR`."""

import argparse
import json
from pathlib import Path
from typing import Any, Final

OUT: Final = Path(__file__).parents[1] / "src/gpuplan/data/files"
NO_SOURCE: Final = "none: a statement that nothing is known"


def main() -> None:
    """Reads the collected rows, writes the compact ones and their tables of sources."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    facts = arguments.shared / "facts"
    write("cost", out_dir=arguments.out, rows=[cost(row) for row in read(facts / "cost_facts.jsonl")])
    reports = [*read(facts / "failures.jsonl"), *read(facts / "failures_more.jsonl")]
    write("failure", out_dir=arguments.out, rows=[failure(row) for row in reports])


def read(path: Path) -> list[dict[str, Any]]:
    """Rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def cost(row: dict[str, Any]) -> dict[str, Any]:
    """One cost fact; its id is topic, key and region."""
    where = f"/{row['region']}" if row["region"] else ""
    return {"id": f"{row['topic']}/{row['key']}{where}", **row}


def failure(row: dict[str, Any]) -> dict[str, Any]:
    """One report on failures, its hardware flattened and its source as one text."""
    hardware = row["hardware"] or {}
    source = row["source"]
    place = source["url"] or " ".join(part for part in (source["repo"], source["path"]) if part)
    return {
        "id": row["id"],
        "topic": row["topic"],
        "gpu": hardware.get("gpu"),
        "n_gpus": hardware.get("n_gpus"),
        "cloud": hardware.get("cloud"),
        "zone": hardware.get("zone"),
        "figures": row["facts"] | {key: hardware[key] for key in ("gpus_per_node",) if key in hardware},
        "date": source["date"],
        "source": f"{source['title']}; {place}" if place else source["title"],
        "confidence": row["confidence"],
        "note": row["notes"],
    }


def write(name: str, *, out_dir: Path, rows: list[dict[str, Any]]) -> None:
    """Writes the rows with short ids for their sources; ids that stand twice get their date, then a number."""
    sources: dict[str, str] = {}
    seen: set[str] = set()
    lines = []
    for row in rows:
        row["id"] = unique(row, seen)
        row["src"] = sources.setdefault(row.pop("source") or NO_SOURCE, f"{name[0]}{len(sources) + 1}")
        kept = {key: value for key, value in row.items() if value not in (None, "")}
        lines.append(json.dumps(kept, ensure_ascii=False, separators=(",", ":")))
    (out_dir / f"{name}s.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = json.dumps({key: text for text, key in sources.items()}, ensure_ascii=False, indent=0)
    (out_dir / f"{name}_sources.json").write_text(table + "\n", encoding="utf-8")
    print(f"{len(lines)} {name} facts, {len(sources)} sources")


def unique(row: dict[str, Any], seen: set[str]) -> str:
    """An id that no earlier row has."""
    candidates = [row["id"], f"{row['id']}/{row.get('date')}"]
    candidates += [f"{row['id']}/{row.get('date')}/{n}" for n in range(2, 99)]
    chosen = next(candidate for candidate in candidates if candidate not in seen)
    seen.add(chosen)
    return chosen


if __name__ == "__main__":
    main()
