"""Well-known structures: each carries its own snippets, and a document names it in its front matter."""

from pathlib import Path

import pytest

from fieldguide.toolsets.architecture.rules.checking import find_hits
from fieldguide.toolsets.architecture.rules.declared_rules import list_structures, read_structure
from fieldguide.toolsets.architecture.rules.pattern import check_code, read_pattern
from fieldguide.toolsets.architecture.rules.source_code import SourceCode

GUIDE = Path(__file__).parents[4] / "docs/reference/pattern-rules.md"


@pytest.mark.parametrize("name", list_structures())
def test_a_structure_is_found_where_its_file_says_so_and_nowhere_else(name):
    for snippet in read_structure(name).snippets:
        code = SourceCode(snippet.code, snippet.language)

        assert code.broken_line is None, snippet
        assert bool(list(find_hits(read_structure(name).check, code))) == snippet.is_found, snippet


@pytest.mark.parametrize("name", list_structures())
def test_a_structure_says_what_it_is_and_is_tried_both_ways_in_each_language(name):
    structure = read_structure(name)
    tried = {(each.language, each.is_found) for each in structure.snippets}

    assert structure.finds.endswith(".")
    assert tried == {(language, is_found) for language in structure.check.by_language for is_found in (True, False)}


def test_a_rule_names_one_structure_or_several():
    pattern = read_pattern(
        "errors",
        "---\nlanguages: [python]\nrules:\n"
        "  - {id: no-empty-catch, message: Act., structure: empty-catch}\n"
        "  - {id: no-guess, message: Name it., structure: [bare-except, mutable-default]}\n---\n",
    )

    report = check_code(pattern, "def f(a=[]):\n    try:\n        g()\n    except:\n        pass\n", "python")

    assert pattern.problems == ()
    assert [(each.rule, each.line) for each in report.findings] == [
        ("no-guess", 1),
        ("no-empty-catch", 4),
        ("no-guess", 4),
    ]


def test_the_guide_lists_every_structure():
    guide = GUIDE.read_text(encoding="utf-8")

    assert [name for name in list_structures() if f"| `{name}` | {read_structure(name).finds} |" not in guide] == []
