"""Whatever a stranger writes is read in time that grows no faster than the text."""

import pytest

from tests.growth import MOST, growth_of
from tests.hostile_readers import all_readers, texts

LEAST, LONGEST = 4_000, 16_000
SAMPLE = 16  # each reader gets one of so many texts, another part of them than the reader before; `make soak` takes all


@pytest.mark.parametrize("name", all_readers())
def test_a_reader_takes_no_longer_than_the_text_grows(name):
    number, read = list(all_readers()).index(name), all_readers()[name]
    alone = [text for text in texts() if not text.opening and not text.closing]

    found = [growth_of(name, read, text, least=LEAST, most=LONGEST) for text in alone[number % SAMPLE :: SAMPLE]]

    assert [str(each) for each in found if each.ratio > MOST] == []
