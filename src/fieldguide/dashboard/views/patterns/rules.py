"""The rules of a pattern in words, with their examples; what is advice; and what can't be read."""

from collections.abc import Mapping, Sequence
from typing import Any

from fieldguide.dashboard.components import badge, code_block, source_link
from fieldguide.dashboard.page_text import as_html

TONES = {"error": "bad", "warning": "fair"}
MOST = 200
ADVICE = "No sentence of it names code in a way that leaves nothing to judge, so people and agents read it."
Rule = Mapping[str, Any]


def rules_html(pattern: Mapping[str, Any]) -> str:
    """All that a pattern asks for."""
    declared = [rule for rule in pattern["rules"] if rule["is_declared"]]
    read = [rule for rule in pattern["rules"] if not rule["is_declared"]]
    return "".join(
        (
            _problems(pattern),
            _rules("Rules that it declares", declared, pattern),
            _rules("Rules read from its text", read, pattern),
            _advice(pattern),
            _examples(pattern),
        )
    )


def _rules(title: str, rules: Sequence[Rule], pattern: Mapping[str, Any]) -> str:
    if not rules:
        return ""
    items = "".join(_rule(rule, pattern["path"]) for rule in rules[:MOST])
    return f'<section class="stack"><h2>{title}</h2><ul class="list rules">{items}</ul></section>'


def _rule(rule: Rule, path: str) -> str:
    fix = f"<p>Instead: {as_html(rule['fix'])}</p>" if rule["fix"] else ""
    cited = source_link(path, rule["line"], label=f"line {rule['line']}")
    return (
        f"<li><p>{badge(rule['severity'], TONES[rule['severity']])} <code>{as_html(rule['id'])}</code></p>"
        f'<p class="title">{as_html(rule["message"])}</p>{fix}'
        f'<p class="quiet small">Checked: {_worded(rule["checked"])}. {cited}</p></li>'
    )


def _worded(text: str) -> str:
    """A sentence with what stands between backticks as code."""
    pieces = text.split("`")
    return "".join(f"<code>{as_html(each)}</code>" if at % 2 else as_html(each) for at, each in enumerate(pieces))


def _advice(pattern: Mapping[str, Any]) -> str:
    items = "".join(
        f"<li><p>{as_html(' '.join(each['text'].split()))}</p>"
        f'<p class="small">{source_link(pattern["path"], each["document_line"])}</p></li>'
        for each in pattern["advice"][:MOST]
    )
    about = f'<p class="quiet">{ADVICE}</p>'
    return f'<section class="stack"><h2>Advice</h2>{about}<ul class="list">{items}</ul></section>' if items else ""


def _problems(pattern: Mapping[str, Any]) -> str:
    items = "".join(
        f"<li>{as_html(each['message'])} {source_link(pattern['path'], each['document_line'])}</li>"
        for each in pattern["problems"][:MOST]
    )
    return f'<div class="notice bad"><p>Some of it can\'t be read:</p><ul>{items}</ul></div>' if items else ""


def _examples(pattern: Mapping[str, Any]) -> str:
    items = "".join(_example(each, pattern["path"]) for each in pattern["examples"])
    return f'<section class="stack"><h2>Examples</h2><div class="stack">{items}</div></section>' if items else ""


def _example(example: Mapping[str, Any], path: str) -> str:
    tone = {"good": "good", "bad": "bad"}[example["verdict"]]
    rules = ", ".join(f"<code>{as_html(each)}</code>" for each in example["rules"])
    about = f' <span class="quiet">for</span> {rules}' if rules else ""
    return (
        f'<div class="stack example"><p>{badge(example["verdict"], tone)}{about} '
        f"{source_link(path, example['line'])}</p>{code_block(example['code'])}</div>"
    )
