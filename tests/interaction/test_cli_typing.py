"""What helps a person to type: key=value and did-you-mean."""

import json

import pytest

from tests.servers import run


@pytest.fixture
def library(project):
    project.write("docs/ferns.md", "# Ferns\n\nFerns like shade.\n")
    project.write("docs/foxes.md", "# Foxes\n\nA fox digs its den.\n")
    project.write("src/app.py", "x = 1\n")
    return project


def called(project, *words, code=0):
    return run("call", *words, "--project", project.root, code=code)


def test_arguments_of_a_tool_can_be_typed_as_pairs(library):
    typed = called(library, "documents_search", "query=where does a fox live", "limit=1", "hybridSearch=true")
    written = called(
        library, "documents_search", '{"query": "where does a fox live", "limit": 1, "hybridSearch": true}'
    )

    assert typed.stdout == written.stdout
    assert json.loads(typed.stdout)[0]["documentId"] == "foxes.md"


def test_flags_may_stand_before_and_between_the_pairs(library):
    done = run("call", "documents_list_documents", "--project", library.root, "collection=docs", "--json", "limit=1")

    assert json.loads(done.stdout)["structuredContent"]["hasMore"] is True


def test_a_list_is_typed_by_repeating_or_as_json(library):
    once = called(library, "documents_search", "query=fox", "collections=docs").stdout
    twice = called(library, "documents_search", "query=fox", "collections=docs", "collections=dir:docs").stdout
    raw = called(library, "documents_search", "query=fox", 'collections=["docs"]').stdout
    batch = called(library, "documents_search_batch", 'queries=[{"query": "fox"}]').stdout

    assert once == twice == raw
    assert json.loads(batch)["results"][0]["query"] == "fox"


def test_a_value_with_an_equals_sign_is_taken_whole(library):
    done = called(library, "grep_codebase", "pattern=x = 1")

    assert json.loads(done.stdout)["matches"][0]["file"] == "src/app.py"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("documents_search", "query=x", "limit=many"), "limit must be JSON of the type number, not 'many'"),
        (("documents_search", "query=x", "rerank=perhaps"), "rerank must be JSON of the type boolean, not 'perhaps'"),
        (("documents_search", "query=x", "collections=[docs"), "collections must be JSON of the type array"),
        (("documents_search", "query=x", "fox"), "'fox' is no argument."),
        (("documents_search", "qery=x"), "There is no argument 'qery'. Did you mean 'query'?"),
    ],
)
def test_a_wrong_pair_is_answered_with_a_sentence(library, words, sentence):
    done = called(library, *words, code=2)

    assert sentence in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "code", "meant"),
    [
        (("fnd", "fox"), 2, "Did you mean 'find'?"),
        (("call", "documents_serch", "query=x"), 1, "Did you mean 'documents_search',"),
        (("find", "fox", "--jsn"), 2, "Did you mean '--json'?"),
        (("documents", "sync", "dcos"), 1, "Did you mean 'docs'?"),
        (("patterns", "show", "sql-saftey"), 1, "Did you mean 'sql-safety'?"),
    ],
)
def test_a_name_that_is_nearly_right_is_told_the_right_one(library, words, code, meant):
    assert meant in run(*words, cwd=library.root, code=code).stderr


def test_a_path_that_is_nearly_right_is_told_the_right_one(library):
    run("patterns", "add", "sql-safety", "--project", library.root)

    done = run("check", library.root / "src/ap.py", "--project", library.root, code=2)
    pattern = run("check", "--pattern", "sql-saftey", "--project", library.root, code=2)

    assert "Did you mean 'src/app.py'?" in done.stderr
    assert "Did you mean 'sql-safety'?" in pattern.stderr


def test_what_is_far_from_every_name_is_told_no_other(library):
    assert "Did you mean" not in run("frobnicate", code=2).stderr
