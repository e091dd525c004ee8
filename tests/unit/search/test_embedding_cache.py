"""Vectors on disk by the hash of their text, for several processes, torn files and files that can't be written."""

import os

from fieldguide.search.models.remote import EmbeddingCache


def test_what_was_kept_is_found_by_another_process(tmp_path):
    one, other = (EmbeddingCache(str(tmp_path / "deep" / "x")) for _ in range(2))
    before = other.find(["a"])
    one.add({"a": b"\1\2", "b": b"\3\4"})
    one.add({"c": b"\5\6"})

    assert before == {}
    assert other.find(["c", "a", "none"]) == {"c": b"\5\6", "a": b"\1\2"}
    assert (other.dimensions, EmbeddingCache(str(tmp_path / "none")).dimensions) == (2, None)


def test_texts_that_are_half_a_character_have_vectors_too(tmp_path):
    cache = EmbeddingCache(str(tmp_path / "x"))
    cache.add({"\ud800": b"\1"})

    assert cache.find(["\ud800"]) == {"\ud800": b"\1"}


def test_a_record_that_was_cut_short_is_taken_away_by_the_next(tmp_path):
    path = tmp_path / "x"
    EmbeddingCache(str(path)).add({"a": b"\1\2", "b": b"\3\4"})
    os.truncate(path, path.stat().st_size - 1)

    cache = EmbeddingCache(str(path))
    assert cache.find(["a", "b"]) == {"a": b"\1\2"}
    cache.add({"c": b"\5\6"})

    assert cache.find(["a", "b", "c"]) == {"a": b"\1\2", "c": b"\5\6"}


def test_a_record_that_was_damaged_counts_as_absent(tmp_path):
    path = tmp_path / "x"
    EmbeddingCache(str(path)).add({"a": b"\1\2", "b": b"\3\4"})
    path.write_bytes(path.read_bytes().replace(b"\1\2", b"\1\7"))

    assert EmbeddingCache(str(path)).find(["a", "b"]) == {"b": b"\3\4"}


def test_vectors_of_another_width_begin_the_file_anew(tmp_path):
    cache = EmbeddingCache(str(tmp_path / "x"))
    cache.add({"a": b"\1\2", "b": b"\3\4"})
    found = cache.find(["a"])
    EmbeddingCache(str(tmp_path / "x")).add({"a": b"\1\2\3"})

    assert (found, cache.find(["a", "b"]), cache.dimensions) == ({"a": b"\1\2"}, {"a": b"\1\2\3"}, 3)


def test_a_file_that_grew_too_large_begins_anew(tmp_path):
    cache = EmbeddingCache(str(tmp_path / "x"), largest_bytes=60)
    for text in "abc":
        cache.add({text: b"\1\2"})

    assert cache.find(["a", "b", "c"]) == {"c": b"\1\2"}


def test_a_file_that_is_something_else_is_begun_anew(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"not ours at all, but long enough to be")
    cache = EmbeddingCache(str(path))
    found = cache.find(["a"])
    cache.add({"a": b"\1\2"})

    assert (found, cache.find(["a"])) == ({}, {"a": b"\1\2"})


def test_a_cache_that_can_not_be_written_or_is_a_link_is_no_error(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    for path in (tmp_path / "file" / "x", tmp_path / "link"):
        cache = EmbeddingCache(str(path))
        cache.add({"a": b"\1\2"})
        assert (cache.find(["a"]), cache.dimensions) == ({}, None)

    assert not (tmp_path / "elsewhere").exists()
