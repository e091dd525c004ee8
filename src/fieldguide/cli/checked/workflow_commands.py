"""The workflow commands of GitHub Actions: each violation becomes a remark beside its line, without any upload.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from fieldguide.cli.checked.violations import Violation


def as_workflow_command(violation: Violation) -> str:
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
