"""`fieldguide findings add` as a person or a script uses it."""

import pytest

from tests.servers import run


@pytest.fixture
def remember(project):
    def act(*words, **more):
        return run("findings", "add", *words, "--project", project.root, **more)

    return act


@pytest.mark.each_database
def test_a_finding_is_kept_once(remember, database_flags):
    text = "Callers must hold the lock."

    first = remember(text, "--type", "rule", *database_flags)
    again = remember("  callers must  hold the LOCK.", "--type", "rule", *database_flags)
    elsewhere = remember(text, "--type", "rule", "--module", "spine", *database_flags)

    assert first.stdout == "Added: Callers must hold the lock.\n"
    assert again.stdout == "Already known: callers must  hold the LOCK.\n"
    assert elsewhere.stdout == "Added: Callers must hold the lock.\n"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("", "--type", "rule"), 1, "A discovery must say something."),
        (("x" * 4001, "--type", "rule"), 1, "at most 4000 characters"),
        (("x", "--type", "idea"), 2, "invalid choice: 'idea'"),
        (("x",), 2, "the following arguments are required: --type"),
        (("--type", "rule"), 2, "the following arguments are required: TEXT"),
    ],
)
def test_what_cannot_be_remembered_is_a_sentence(remember, project, words, code, sentence):
    done = remember(*words, code=code)

    assert sentence in done.stderr
    assert done.stdout == ""
    assert not project.state.exists()
