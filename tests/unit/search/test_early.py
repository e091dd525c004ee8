"""What is found before an index is whole: which files a question is about, and who stands aside."""

import threading
from time import monotonic

from fieldguide.search import engine
from fieldguide.search.backlog import SourceFile, extract_word_starts, rank_likely_files, sort_newest_first
from fieldguide.search.engine import IndexingPriority

LATER = 60.0


def entries(**texts):
    return [SourceFile(name, "", text.encode if isinstance(text, str) else text) for name, text in texts.items()]


def found(question, given, seconds=LATER):
    return [entry.name for entry in rank_likely_files(given, question, monotonic() + seconds)]


def test_the_files_with_most_of_the_words_come_first():
    given = entries(a="water and stones", b="water the ferns", c="nothing of it", d="ferns")

    assert found("watering a fern", given)[0] == "b"
    assert "c" not in found("watering a fern", given)


def test_a_word_that_few_files_hold_tells_more():
    given = entries(a="rare", **{f"b{number}": "common " * 5 for number in range(20)})

    assert found("common rare", given)[0] == "a"


def test_a_word_in_the_name_of_a_file_counts():
    given = entries(**{"src/hashers.py": "x = 1", "src/other.py": "y = 1"})

    assert found("where are the hashers", given) == ["src/hashers.py"]


def test_when_the_time_is_up_names_alone_must_do():
    def fail():
        raise AssertionError("nothing may be read any more")

    given = [SourceFile("src/hashers.py", "", fail), SourceFile("src/other.py", "", fail)]

    assert found("where are the hashers", given, seconds=-1.0) == ["src/hashers.py"]


def test_words_of_other_scripts_are_found_whatever_their_case():
    assert found("ПОЛИВ папоротника", entries(a="полив и папоротник", b="камни")) == ["a"]


def test_a_question_has_an_end():
    assert len(extract_word_starts(" ".join(f"word{number}" for number in range(500)))) <= 12
    assert found("the of and", entries(a="stones")) == []


def test_the_background_stands_aside_while_somebody_has_the_right_of_way():
    way = IndexingPriority()
    told: list[str] = []

    def background_pass():
        way.give()
        told.append("background")

    with way.taken():
        background = threading.Thread(target=background_pass, daemon=True)
        background.start()
        told.append("call")
    background.join(LATER)

    assert told == ["call", "background"]


def test_it_does_not_stand_aside_for_ever(monkeypatch):
    monkeypatch.setattr(engine, "MOST_GIVEN_SECONDS", -1.0)
    way = IndexingPriority()

    with way.taken():
        way.give()  # comes back at once: it has given enough


def test_what_was_not_looked_at_in_time_is_looked_at_when_it_is_asked_for_again():
    read: list[str] = []

    def text_of(name, text):
        def content():
            read.append(name)
            return text.encode()

        return SourceFile(name, "", content)

    given = [text_of("stones.md", "stones"), text_of("garden.md", "water the ferns"), text_of("fern.md", "stones")]
    seen: set[str] = set()

    early = rank_likely_files(given, "water a fern", monotonic() - 1.0, seen=seen)
    later = rank_likely_files(given, "water a fern", monotonic() + LATER, seen=seen)

    assert [entry.name for entry in early] == ["fern.md"]  # by its name alone
    assert [entry.name for entry in later] == ["garden.md"]
    assert sorted(read) == ["garden.md", "stones.md"]
    assert seen == {"stones.md", "garden.md", "fern.md"}


def test_what_was_changed_last_comes_first():
    stamps = {"a": "1-1-1-1", "b": "9-1-1-1", "c": ""}
    given = [SourceFile(name, stamp, lambda: None) for name, stamp in stamps.items()]

    assert [entry.name for entry in sort_newest_first(given)] == ["c", "b", "a"]
