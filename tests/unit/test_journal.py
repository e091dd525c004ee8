"""The order of the journal's lines, and names that clients are shown."""

import json

import pytest

from fieldguide.spine.journal import CallRecord, Journal, Metrics
from fieldguide.spine.tool import Call
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.display import warn_of_hidden_text
from fieldguide.wire.clients import spell_tool_name


def test_a_note_is_written_at_once_after_the_lines_that_wait():
    written: list[str] = []
    journal = Journal(Metrics(), written.extend)

    journal.add("first", dict)
    journal.note("second")

    assert [json.loads(line)["message"] for line in written] == ["first", "second"]


def test_a_call_is_counted_when_it_ends_whether_or_not_a_line_is_told_of_it(monkeypatch):
    monkeypatch.setattr("fieldguide.spine.journal.FLUSH_SECONDS", 60)  # 20 ms can pass before the first assertion
    written: list[str] = []
    journal = Journal(Metrics(), written.extend)

    with CallRecord(journal, Call(tool="t", arguments={}, cancellation=Cancellation())) as record:
        record.tool = "t"

    assert written == []
    assert [(each.tool, each.calls) for each in journal.metrics.measured()] == [("t", 1)]
    journal.flush()
    assert len(written) == 2
    assert [(each.tool, each.calls) for each in journal.metrics.measured()] == [("t", 1)]


@pytest.mark.parametrize(
    ("client", "spelling"),
    [
        ("claude-code", "a_b"),
        ("Claude Desktop", "a_b"),
        ("ClaudeAI", "a_b"),
        ("Visual Studio Code", "a_b"),
        ("cursor-vscode", "a_b"),
        ("authorized-client", "a/b"),
        ("", "a/b"),
    ],
)
def test_a_client_is_known_by_its_words_and_not_by_letters_inside_them(client, spelling):
    assert spell_tool_name("a/b", mode="auto", client=client) == spelling


@pytest.mark.parametrize(
    "text", ["a\u202eb", "a\ufeffb", "\ufe00\ufe01", "x\u200d\u200d\u200d", "\U000e0101", "\U000e0041"]
)
def test_what_nobody_sees_is_told(text):
    assert warn_of_hidden_text([text])


@pytest.mark.parametrize("text", ["\ufeffstart", "👩\u200d💻", "❤\ufe0f", "می\u200cخواهم", "plain"])
def test_what_scripts_and_emoji_need_is_not_told(text):
    assert warn_of_hidden_text([text]) == []
