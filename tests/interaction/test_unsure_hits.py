"""Searches of every kind over one small project: nothing is withheld, and what does not fit well says so."""

import json

import pytest

from tests.context_wires import ask_by_command as ask_context
from tests.document_sources import command_in
from tests.projects import Project
from tests.proves import proves

OPTIONS = '''
"""The options of the command."""

import argparse


def add_output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=int, help="how many columns a line may have")
    parser.add_argument("--colour", action="store_true", help="paint folders blue")


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    # -s: say nothing about folders that may not be read for want of permissions
    parser.add_argument("-s", dest="quiet", action="store_true")
    parser.add_argument("--depth", type=int, default=3)
'''
WALK = '''
"""Walks folders and adds up what they hold."""

import os


def total_size(folder: str) -> int:
    """The size of all files below a folder."""
    return sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names)


def largest(sizes: dict[str, int], count: int) -> list[str]:
    """The names of the largest entries."""
    return sorted(sizes, key=sizes.__getitem__, reverse=True)[:count]
'''
PAGES = {
    "backups": "Every night the database is copied to another region, and old copies are deleted.",
    "login": "People enter their e-mail address and a password, or use single sign-on.",
    "limits": "A client that sends too many requests in a minute is told to wait before it retries.",
    "invoices": "An invoice is created on the first day of each month and sent to the customer.",
    "releases": "A release is built by the pipeline, tested, and rolled out to the servers one by one.",
    "caching": "Answers are kept for five minutes, so the same question is not computed twice.",
    "roles": "An administrator may invite members, change their permissions and remove them again.",
}
UNANSWERABLE = "pair a Bluetooth headset with the piano"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made = Project(tmp_path_factory.mktemp("small"))
    made.write("options.py", OPTIONS)
    made.write("walk.py", WALK)
    for name, text in PAGES.items():
        made.write(f"docs/{name}.md", f"# {name.title()}\n\n{text}\n")
    return made


@proves("D-41")
def test_context_search_gives_the_nearest_code_marked(project):
    told = ask_context(project)("context_search", query=UNANSWERABLE).value

    assert [item["unsure"] for item in told["results"]] == [True, True, True]
    assert told["fit"] == "nothing fits well"
    assert told["hint"].startswith("Nothing fits well")


@proves("D-41")
def test_an_option_that_one_line_of_code_documents_is_found(project, capsys):
    fieldguide = command_in(project, capsys)

    for words in ("silence permission errors", "silence permision erors"):
        told = json.loads(fieldguide("find", words, "--json", "--wait").out)
        assert told["items"][0]["path"] == "options.py"
        assert told["items"][0]["symbol"] == "add_reading_options"


@proves("D-41")
def test_the_nearest_weak_hits_follow_those_that_fit(tmp_path, capsys):
    project = Project(tmp_path)
    project.write("walk.py", WALK)
    for subject in ("mail", "paint", "clock", "bread", "train", "chess", "ship"):
        project.write(f"{subject}.py", f'def {subject}_work(value: int) -> int:\n    """Work on {subject}."""\n')
    told = command_in(project, capsys)("find", "size of all files below a folder", "--json", "--wait").out
    items = json.loads(told)["items"]
    assert items[0]["path"] == "walk.py"
    assert ["unsure" in item for item in items] == [False, True, True, True, True]


@proves("D-41")
def test_the_command_says_that_nothing_fits_well_and_marks_each_hit(project, capsys):
    fieldguide = command_in(project, capsys)

    told = fieldguide("find", UNANSWERABLE, "--wait").out
    assert told.startswith("Nothing fits well")
    assert told.count("unsure") >= 3
    hits = json.loads(fieldguide("find", UNANSWERABLE, "--json", "--wait").out)
    assert all(hit["unsure"] for hit in hits["items"])


@proves("D-41")
@pytest.mark.parametrize("option", [{}, {"hybridSearch": False}, {"maxDistance": 2}])
def test_documents_search_says_so_however_it_is_asked(project, capsys, option):
    fieldguide = command_in(project, capsys)
    fieldguide("index")

    def search(query):
        return json.loads(fieldguide("call", "documents_search", json.dumps({"query": query, **option}), "--json").out)

    blocks = search(UNANSWERABLE)["content"]
    items = json.loads(blocks[0]["text"])
    right = json.loads(search("how long answers are kept")["content"][0]["text"])

    assert [item["unsure"] for item in items] == [True, True, True]
    assert json.loads(blocks[1]["text"])["fit"] == "nothing fits well"
    assert (right[0]["documentId"], "unsure" in right[0]) == ("caching.md", False)
