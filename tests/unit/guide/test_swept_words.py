"""The words of files that are not indexed: a file is read again wherever it may hold what a task quotes."""

from hypothesis import example, given
from hypothesis import strategies as st

from fieldguide.toolsets.guide.items import SweptWords, _find_lines, hash_words

PIECES = st.sampled_from(["get", "name", "_", "$", ".", "-", " ", "é", "(", "\n", "x1"])


@given(st.lists(PIECES, max_size=30), st.lists(PIECES, min_size=1, max_size=4), st.booleans())
@example(["éget"], ["get"], True)
@example(["$get"], ["get"], True)
def test_every_file_that_holds_a_fragment_is_read(pieces, quoted, is_held):
    fragment = "".join(quoted).replace("\n", "") or "get"
    text = "".join([*pieces, " ", fragment, " "] if is_held else pieces)
    words = SweptWords()
    words.keep("data.csv", "1", text.encode())

    may_hold = words.may_hold("data.csv", "1", [hash_words(fragment.encode())])

    assert may_hold or not _find_lines(text, fragment)


def test_a_file_without_the_words_is_not_read_again_before_it_is_saved():
    words = SweptWords()
    wanted = [hash_words(b"Orchard.apples"), hash_words(b"pears")]
    words.keep("data.csv", "1", b"apples, Orchards\npearson\n")
    words.keep("young.csv", "", b"apples")

    assert not words.may_hold("data.csv", "1", wanted)
    assert words.may_hold("data.csv", "2", wanted)
    assert words.may_hold("young.csv", "", wanted)
    assert words.may_hold("other.csv", "1", wanted)
