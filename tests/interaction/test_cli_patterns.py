"""`fieldguide patterns`, and the documents that it brings."""

import json

import pytest

from fieldguide.toolsets.architecture.rules.pattern import read_pattern
from fieldguide.toolsets.architecture.rules.starter_patterns import list_starters, read_starter
from tests.servers import run

LANGUAGES = {"python", "typescript", "go", "java"}


@pytest.mark.parametrize("name", list_starters())
def test_every_starter_can_be_read_and_has_rules_for_four_languages(name):
    pattern = read_pattern(name, read_starter(name))

    assert pattern.problems == ()
    assert {language for rule in pattern.rules for language in rule.languages} == LANGUAGES
    assert all(rule.fix or rule.severity == "warning" for rule in pattern.rules)
    assert all(rule.document_line > 1 for rule in pattern.rules)


def test_the_starters_are_listed_with_a_sentence_each():
    lines = run("patterns", "list").stdout.splitlines()

    assert [line.split()[0] for line in lines] == list(list_starters())
    assert all(line.endswith(".") for line in lines)
    assert {each["name"] for each in json.loads(run("patterns", "list", "--json").stdout)} == set(list_starters())


def test_a_starter_is_shown_to_the_last_line():
    assert run("patterns", "show", "logging").stdout == read_starter("logging")


def test_a_name_that_nobody_knows_is_answered_with_those_that_there_are(fieldguide, project):
    for words in (("show", "nope"), ("add", "logging", "nope", "--project", project.root)):
        done = run("patterns", *words, code=1)
        assert done.stderr.startswith("fieldguide: There is no pattern 'nope' to add. There are async-and-")
    assert not (project.root / "mcp").exists()


def test_starters_are_copied_and_what_is_there_is_kept(fieldguide, project):
    first = fieldguide("patterns", "add", "logging", "http-clients").out
    path = project.root / "mcp/resources/patterns/logging.md"
    path.write_text("# Ours\n")
    again = fieldguide("patterns", "add", "logging").out
    kept = path.read_text()
    forced = fieldguide("patterns", "add", "logging", "--force").out

    assert first == (
        "added     mcp/resources/patterns/logging.md\n"
        "added     mcp/resources/patterns/http-clients.md\n"
        "Make them say what your team means, then run `fieldguide check`. Agents are given them as they are.\n"
    )
    assert again == "kept      mcp/resources/patterns/logging.md\nWhat is there was kept; --force replaces it.\n"
    assert kept == "# Ours\n"
    assert forced.startswith("replaced  mcp/resources/patterns/logging.md\n")
    assert path.read_text() == read_starter("logging")
    assert sorted(each.name for each in path.parent.iterdir()) == ["http-clients.md", "logging.md"]


def test_no_link_leads_the_copy_out_of_the_project(fieldguide, project, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project.root / "mcp").mkdir()
    (project.root / "mcp/resources").symlink_to(elsewhere)

    done = fieldguide("patterns", "add", "logging", code=1)

    assert done.err == "fieldguide: mcp/resources can't be written to: it must be a folder of the project.\n"
    assert list(elsewhere.iterdir()) == []


def test_a_link_in_place_of_a_pattern_is_replaced_and_not_followed(fieldguide, project, tmp_path):
    victim = project.write("../victim.txt", "mine")
    (project.root / "mcp/resources/patterns").mkdir(parents=True)
    (project.root / "mcp/resources/patterns/logging.md").symlink_to(victim)

    kept = fieldguide("patterns", "add", "logging").out
    fieldguide("patterns", "add", "logging", "--force")

    assert kept.startswith("kept")
    assert victim.read_text() == "mine"
    assert not (project.root / "mcp/resources/patterns/logging.md").is_symlink()


def test_what_was_added_is_what_a_check_runs(fieldguide, project):
    fieldguide("patterns", "add", *list_starters())
    project.write("src/a.py", "try:\n    work()\nexcept:\n    pass\n")

    done = fieldguide("check", code=1)

    assert "src/a.py:3: error error-handling/no-bare-except: " in done.out


DOCUMENT = """\
---
rules:
  - {id: no-print, message: Output goes through the logger., languages: [python], forbid-call: [print]}
---
# Output

## Loggers

```python
# bad
print(1)
# good
logger.info(1)
```
"""


@pytest.mark.parametrize(
    ("before", "after", "code", "said"),
    [
        ("", "", 0, ""),
        ("print(1)\n# good", "pprint(1)\n# good", 1, "output.md:11: The bad example breaks no rule.\n"),
        ("logger.info(1)", "logger.info(1)\nprint(2)", 1, "output.md:14: The good example breaks `no-print`.\n"),
        ("```python\n# bad", "```python bad\nspare(2)\n# bad", 1, "output.md:10: The bad example breaks no rule.\n"),
    ],
)
def test_an_example_that_is_not_what_its_label_says_is_a_line(fieldguide, project, before, after, code, said):
    project.write("mcp/resources/patterns/output.md", DOCUMENT.replace(before, after) if before else DOCUMENT)

    done = fieldguide("patterns", "test", code=code)

    assert done.out == (f"mcp/resources/patterns/{said}" if said else "")


def test_the_examples_of_the_starters_pass(fieldguide):
    fieldguide("patterns", "add", *list_starters())

    assert fieldguide("patterns", "test").out == ""
