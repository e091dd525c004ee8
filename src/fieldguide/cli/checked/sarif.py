"""SARIF 2.1.0: what a check found, in the form that code hosts and editors show beside the code."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from fieldguide import __version__
from fieldguide.cli.checked.violations import Outcome, PatternRule, Suppressed, Violation

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
FINGERPRINT = "ruleAndLine/v1"
IN_BASELINE = "The baseline has it: it was there when the check began."


def as_sarif(outcome: Outcome) -> dict[str, Any]:
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


def _results(outcome: Outcome, places: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Every violation, also those that a comment suppresses or a baseline has, which say so."""
    seen: Counter[str] = Counter()
    for violation in outcome.violations:
        yield _result(violation, places, seen)
    for violation in outcome.known:
        said = {"kind": "external", "justification": IN_BASELINE}
        yield {**_result(violation, places, seen), "suppressions": [said]}
    for each in outcome.suppressed:
        yield {**_result(each.violation, places, seen), "suppressions": [_in_source(each)]}


def _rule(rule: PatternRule) -> dict[str, Any]:
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


def _in_source(suppressed: Suppressed) -> dict[str, Any]:
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
