"""The starter patterns find what they declare: labelled code in four languages, held against each of them."""

import re
from pathlib import Path

import pytest

from fieldguide.toolsets.architecture.rules.starter_patterns import list_starters, read_starter
from tests.architecture_projects import PATTERNS, call, served
from tests.projects import Project
from tests.proves import proves

SNIPPETS = re.split(r"^=== ", Path(__file__).with_name("pattern_snippets.txt").read_text(), flags=re.MULTILINE)[1:]
LABEL = re.compile(r"[ ]+«([^»]*)»$", re.MULTILINE)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("starters"))
    for name in list_starters():
        project.write(f"{PATTERNS}/{name}.md", read_starter(name))
    with served(project) as client:
        yield client


@proves("S0-32", "S0-34", "S0-35")
@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.partition("\n")[0])
def test_each_line_breaks_the_rules_of_its_label_and_no_others(client, snippet):
    header, _, labelled = snippet.partition("\n")
    pattern, language, _ = header.split(" | ")
    expected = [
        (number, rule)
        for number, line in enumerate(labelled.splitlines(), start=1)
        for match in LABEL.finditer(line)
        for rule in match.group(1).split(", ")
    ]

    answer = call(
        client, "validate-against-pattern", pattern_name=pattern, code=LABEL.sub("", labelled), language=language
    )

    assert [(found["line"], found["rule"]) for found in answer["violations"]] == expected
    assert answer["checked"] > 0
