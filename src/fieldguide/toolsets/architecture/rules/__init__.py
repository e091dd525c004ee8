"""Pattern documents become rules that a machine can check: read a pattern, then check code against it.

What does the work is imported at the first call: its tables take 0.1 s that a server need not spend at its start.

Reading a document (`reading`): `front_matter`, then `declared_rules` and `declared_checks`; `sections` for `see`.
Its prose: `prose` cuts it into statements and `examples`; `norms` finds what lays down a rule (`norm_words`,
`norm_objects`), `norm_rules` turns it into a check with the help of `code_spans`, `roles`, `naming_norms`, `sizes`,
`narrowed_norms`, `placed_types`, `requirement_rules`, `phrases` and `required_phrases`; `example_rules` does it for
examples, by `likeness`. `prose_rules` puts all of it together, and `overlap` leaves out what would be told twice.

What can be checked: `pattern` has the kinds of checks. `structures`, `error_structures`, `sql_structures`,
`keyword_structures`, `library_calls` name well-known ones; `syntax_rules`, `syntax_kinds` are those of ast-grep.

Checking code (`checking`): `snippets` and `languages` make out what was handed over, `source` parses it once
(`imported`, `called`, `defined`, `quiet_text`, `salvage`), `hits` finds, `scopes` says where a rule holds, and
`suggestions` what to do.
"""

from fieldguide.toolsets.architecture.rules.pattern import Advice, Finding, Pattern, Problem, Report, Rule

__all__ = [
    "Advice",
    "Finding",
    "Pattern",
    "Problem",
    "Report",
    "Rule",
    "check_code",
    "detect_language",
    "read_pattern",
]


def read_pattern(name: str, text: str) -> Pattern:
    """Read a pattern document; any text is one, and what is wrong with it is told in its problems."""
    from fieldguide.toolsets.architecture.rules import reading

    return reading.read_pattern(name, text)


def check_code(pattern: Pattern, code: str, language: str | None = None, path: str | None = None) -> Report:
    """Check a text against a pattern; whatever the text is, there is a report."""
    from fieldguide.toolsets.architecture.rules import checking

    return checking.check_code(pattern, code, language, path)


def detect_language(code: str) -> str | None:
    """What a text is written in, by what it looks like; None when that is anybody's guess."""
    from fieldguide.toolsets.architecture.rules import languages

    return languages.detect_language(code)
