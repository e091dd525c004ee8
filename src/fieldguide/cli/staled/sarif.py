"""SARIF 2.1.0 of what no longer holds, in the form that code hosts show beside the documents."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from fieldguide import __version__
from fieldguide.cli.checked.sarif import ROOT, SCHEMA
from fieldguide.spine.answers.stale_places import CHANGED, GONE, KINDS, MOVED, StalePlace

TEXTS = {
    (MOVED, "lines"): "Cited lines stand elsewhere now.",
    (CHANGED, "lines"): "Cited lines have changed since.",
    (GONE, "lines"): "Cited lines are not there any more.",
}
LEVELS = {MOVED: "note", CHANGED: "warning", GONE: "error"}


def as_sarif(found: Sequence[StalePlace]) -> dict[str, Any]:
    """A log with one run; every address is relative to the project."""
    rules = [(state, kind) for kind in KINDS for state in LEVELS]
    driver = {"name": "fieldguide", "version": __version__, "rules": [_rule(*each) for each in rules]}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(each, rules.index((each.state, each.kind))) for each in found],
            }
        ],
    }


def _rule(state: str, kind: str) -> dict[str, Any]:
    text = TEXTS.get((state, kind)) or f"Something is named that is {state}: {kind}."
    return {
        "id": f"stale/{state}-{kind}",
        "shortDescription": {"text": text},
        "defaultConfiguration": {"level": LEVELS[state]},
    }


def _result(found: StalePlace, place: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": f"stale/{found.state}-{found.kind}",
        "ruleIndex": place,
        "level": LEVELS[found.state],
        "message": {"text": found.told()},
    }
    if "://" not in found.document:
        result["locations"] = [_location(found.document, max(found.line, 1))]
    else:  # a finding lies in no file: code hosts show it beside the code that it is about
        result["locations"] = [_location(found.path or _path_in(found.says), max(found.start, 1))]
        result["message"] = {"text": f"{found.document}: {found.told()}"}
    if found.path and found.start:
        where = _location(found.path, found.start, found.end)
        result["relatedLocations"] = [{"id": 0, "message": {"text": "Where it stands now"}, **where}]
    return result


def _path_in(citation: str) -> str:
    return citation.partition("#")[0].partition(":")[0]


def _location(path: str, line: int, end: int = 0) -> dict[str, Any]:
    uri = quote(path.encode(errors="surrogateescape"))
    region = {"startLine": line, **({"endLine": end} if end > line else {})}
    return {"physicalLocation": {"artifactLocation": {"uri": uri, "uriBaseId": ROOT}, "region": region}}
