"""SARIF 2.1.0: what a check found, in the form that code hosts and editors show beside the code."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from fieldguide import __version__
from fieldguide.cli.violations import Outcome, PatternRule, Suppressed, Violation

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"


def as_sarif(outcome: Outcome) -> dict[str, Any]:
    """A log with one run; every address is relative to the project."""
    found = [*outcome.violations, *(each.violation for each in outcome.suppressed)]
    known = dict.fromkeys([*outcome.rules, *(violation.rule for violation in found)])
    places = {rule.id: place for place, rule in enumerate(known)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {"name": "fieldguide", "version": __version__, "rules": [_rule(rule) for rule in known]}
                },
                "invocations": [_invocation(outcome.passed_over)],
                "columnKind": "unicodeCodePoints",
                "results": [
                    *(_result(violation, places) for violation in outcome.violations),
                    *(_suppressed(each, places) for each in outcome.suppressed),
                ],
            }
        ],
    }


def _rule(rule: PatternRule) -> dict[str, Any]:
    where = f"{rule.document}, line {rule.document_line}" if rule.document else ""
    help_text = " ".join(filter(None, [rule.fix, f"See {where}." if where else ""])) or rule.message
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.message},
        "help": {"text": help_text},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(violation: Violation, places: dict[str, int]) -> dict[str, Any]:
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


def _suppressed(suppressed: Suppressed, places: dict[str, int]) -> dict[str, Any]:
    """A result that a comment in the code suppresses, with the reason that it gives."""
    comment = {
        "physicalLocation": {
            "artifactLocation": _address(suppressed.violation.path),
            "region": {"startLine": suppressed.comment_line},
        }
    }
    said = {"kind": "inSource", "justification": suppressed.reason, "location": comment}
    return {**_result(suppressed.violation, places), "suppressions": [said]}


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
