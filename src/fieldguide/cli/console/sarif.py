"""Formats the violations of a check as SARIF 2.1.0 and as workflow commands of GitHub Actions.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from fieldguide import __version__
from fieldguide.toolsets.architecture.rules.violations import (
    ProjectCheckResult,
    RuleReference,
    SuppressedViolation,
    Violation,
)

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
FINGERPRINT = "ruleAndLine/v1"


def to_sarif(outcome: ProjectCheckResult) -> dict[str, Any]:
    """A log with one run; every address is relative to the project."""
    found = [*outcome.violations, *(each.violation for each in outcome.suppressed)]
    known = dict.fromkeys([*outcome.rules, *(violation.rule for violation in found)])
    places = {rule.id: place for place, rule in enumerate(known)}
    rules = [_rule(rule) for rule in known]
    run = {
        "tool": {"driver": {"name": "fieldguide", "version": __version__, "rules": rules}},
        "invocations": [_invocation(outcome.passed_over)],
        "columnKind": "unicodeCodePoints",
        "results": [*_list_results(outcome, places)],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _list_results(outcome: ProjectCheckResult, places: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Every violation, also those that a comment suppresses, which say so."""
    seen: Counter[str] = Counter()
    for violation in outcome.violations:
        yield _result(violation, places, seen)
    for each in outcome.suppressed:
        yield {**_result(each.violation, places, seen), "suppressions": [_in_source(each)]}


def _rule(rule: RuleReference) -> dict[str, Any]:
    reference = ""
    link = ""
    if rule.document:
        where = f"{rule.document}, line {rule.document_line}"
        reference = f"See {where}."
        link = f"See [{where}]({quote(rule.document)}#L{rule.document_line})."
    help_text = " ".join(filter(None, [rule.fix, reference])) or rule.message
    markdown = "\n\n".join(filter(None, [rule.message, rule.fix, link]))
    return {
        "id": rule.id,
        "name": rule.id.rpartition("/")[2],
        "shortDescription": {"text": rule.message},
        "fullDescription": {"text": rule.message},
        "help": {"text": help_text, "markdown": markdown},
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
            _location(
                violation.path,
                startLine=violation.line,
                startColumn=violation.column,
                endLine=max(violation.line, violation.end_line),
            )
        ],
        "partialFingerprints": {FINGERPRINT: _fingerprint(violation, seen)},
    }
    if rule.document:
        where = _location(rule.document, startLine=rule.document_line)
        result["relatedLocations"] = [{"id": 0, "message": {"text": "The pattern with the rule"}, **where}]
    return result


def _fingerprint(violation: Violation, seen: Counter[str]) -> str:
    """What makes a result the same one in the next log: rule, file and line's text, and the how manyth it is."""
    known_by = "\0".join((violation.rule.id, violation.path, violation.line_hash))
    digest = hashlib.sha256(known_by.encode(errors="surrogateescape")).hexdigest()[:32]
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"


def _in_source(suppressed: SuppressedViolation) -> dict[str, Any]:
    """The comment in the code that suppresses a result, with the reason that it gives."""
    comment = _location(suppressed.violation.path, startLine=suppressed.comment_line)
    return {"kind": "inSource", "justification": suppressed.reason, "location": comment}


def _invocation(passed_over: Sequence[tuple[str, str]]) -> dict[str, Any]:
    notifications = [
        {"level": "warning", "message": {"text": reason}, "locations": [_location(path)]}
        for path, reason in passed_over
    ]
    return {"executionSuccessful": True, "toolExecutionNotifications": notifications}


def _location(path: str, **region: int) -> dict[str, Any]:
    place: dict[str, Any] = {
        "artifactLocation": {"uri": quote(path.encode(errors="surrogateescape")), "uriBaseId": ROOT}
    }
    if region:
        place["region"] = region
    return {"physicalLocation": place}


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
    pairs: list[str] = []
    for name, value in properties.items():
        escaped = _escape(str(value)).replace(":", "%3A").replace(",", "%2C")
        pairs.append(f"{name}={escaped}")
    message = " ".join(filter(None, [rule.message, rule.fix, where]))
    return f"::{rule.severity} {','.join(pairs)}::{_escape(message)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
