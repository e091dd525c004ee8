"""Formats the violations of a check as SARIF 2.1.0 and as workflow commands of GitHub Actions.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from fieldguide import __version__
from fieldguide.text.citation import CHANGED, GONE, MOVED, STALE_KINDS, StalePlace
from fieldguide.toolsets.architecture.rules.violations import (
    ProjectCheckResult,
    RuleReference,
    SuppressedViolation,
    Violation,
)

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
FINGERPRINT = "ruleAndLine/v1"
IN_BASELINE = "The baseline has it: it was there when the check began."


def to_sarif(outcome: ProjectCheckResult) -> dict[str, Any]:
    """A log with one run; every address is relative to the project."""
    found = [*outcome.violations, *outcome.known, *(each.violation for each in outcome.suppressed)]
    known = dict.fromkeys([*outcome.rules, *(violation.rule for violation in found)])
    places = {rule.id: place for place, rule in enumerate(known)}
    driver = {
        "name": "fieldguide",
        "version": __version__,
        "rules": [_rule(rule) for rule in known],
    }
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "invocations": [_invocation(outcome.passed_over)],
                "columnKind": "unicodeCodePoints",
                "results": [*_results(outcome, places)],
            }
        ],
    }


def _results(outcome: ProjectCheckResult, places: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Every violation, also those that a comment suppresses or a baseline has, which say so."""
    seen: Counter[str] = Counter()
    for violation in outcome.violations:
        yield _result(violation, places, seen)
    for violation in outcome.known:
        said = {"kind": "external", "justification": IN_BASELINE}
        yield {**_result(violation, places, seen), "suppressions": [said]}
    for each in outcome.suppressed:
        yield {**_result(each.violation, places, seen), "suppressions": [_in_source(each)]}


def _rule(rule: RuleReference) -> dict[str, Any]:
    where = f"{rule.document}, line {rule.document_line}" if rule.document else ""
    help_text = " ".join(filter(None, [rule.fix, f"See {where}." if where else ""])) or rule.message
    link = f"See [{where}]({quote(rule.document)}#L{rule.document_line})." if where else ""
    said = "\n\n".join(filter(None, [rule.message, rule.fix, link]))
    return {
        "id": rule.id,
        "name": rule.id.rpartition("/")[2],
        "shortDescription": {"text": rule.message},
        "fullDescription": {"text": rule.message},
        "help": {"text": help_text, "markdown": said},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"tags": [rule.id.rpartition("/")[0] or "fieldguide"]},
    }


def _result(violation: Violation, places: dict[str, int], seen: Counter[str]) -> dict[str, Any]:
    rule = violation.rule
    result: dict[str, Any] = {
        "ruleId": rule.id,
        "ruleIndex": places[rule.id],
        "level": rule.severity,
        "message": {"text": " ".join(filter(None, [rule.message, rule.fix]))},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _address(violation.path),
                    "region": {
                        "startLine": violation.line,
                        "startColumn": violation.column,
                        "endLine": max(violation.line, violation.end_line),
                    },
                }
            }
        ],
        "partialFingerprints": {FINGERPRINT: _fingerprint(violation, seen)},
    }
    if rule.document:
        result["relatedLocations"] = [
            {
                "id": 0,
                "message": {"text": "The pattern that asks for it"},
                "physicalLocation": {
                    "artifactLocation": _address(rule.document),
                    "region": {"startLine": rule.document_line},
                },
            }
        ]
    return result


def _fingerprint(violation: Violation, seen: Counter[str]) -> str:
    """What makes a result the same one in the next log: rule, file and line's text, and the how manyth it is."""
    known_by = "\0".join((violation.rule.id, violation.path, violation.line_hash))
    digest = hashlib.sha256(known_by.encode(errors="surrogateescape")).hexdigest()[:32]
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"


def _in_source(suppressed: SuppressedViolation) -> dict[str, Any]:
    """The comment in the code that suppresses a result, with the reason that it gives."""
    comment = {
        "physicalLocation": {
            "artifactLocation": _address(suppressed.violation.path),
            "region": {"startLine": suppressed.comment_line},
        }
    }
    return {"kind": "inSource", "justification": suppressed.reason, "location": comment}


def _invocation(passed_over: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return {
        "executionSuccessful": True,
        "toolExecutionNotifications": [
            {
                "level": "warning",
                "message": {"text": reason},
                "locations": [{"physicalLocation": {"artifactLocation": _address(path)}}],
            }
            for path, reason in passed_over
        ],
    }


def _address(path: str) -> dict[str, str]:
    return {"uri": quote(path.encode(errors="surrogateescape")), "uriBaseId": ROOT}


def to_workflow_command(violation: Violation) -> str:
    """A violation as the line that GitHub reads."""
    rule = violation.rule
    where = f"({rule.document}:{rule.document_line})" if rule.document else ""
    properties = {
        "file": violation.path,
        "line": violation.line,
        "endLine": max(violation.line, violation.end_line),
        "col": violation.column,
        "title": rule.id,
    }
    told = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{rule.severity} {told}::{_data(' '.join(filter(None, [rule.message, rule.fix, where])))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


TEXTS = {
    (MOVED, "lines"): "Cited lines stand elsewhere now.",
    (CHANGED, "lines"): "Cited lines have changed since.",
    (GONE, "lines"): "Cited lines are not there any more.",
}
LEVELS = {MOVED: "note", CHANGED: "warning", GONE: "error"}


def stale_to_sarif(found: Sequence[StalePlace]) -> dict[str, Any]:
    """A log with one run; every address is relative to the project."""
    rules = [(state, kind) for kind in STALE_KINDS for state in LEVELS]
    driver = {"name": "fieldguide", "version": __version__, "rules": [_stale_rule(*each) for each in rules]}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_stale_result(each, rules.index((each.state, each.kind))) for each in found],
            }
        ],
    }


def _stale_rule(state: str, kind: str) -> dict[str, Any]:
    text = TEXTS.get((state, kind)) or f"Something is named that is {state}: {kind}."
    return {
        "id": f"stale/{state}-{kind}",
        "shortDescription": {"text": text},
        "defaultConfiguration": {"level": LEVELS[state]},
    }


def _stale_result(found: StalePlace, place: int) -> dict[str, Any]:
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
