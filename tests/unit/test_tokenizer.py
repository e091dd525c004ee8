"""Tokens are counted as `cl100k_base` cuts texts: the numbers are those of its authors' own program."""

from fieldguide.text.tokens import TOKENS, count_exact_tokens, read_ranks

COUNTED = {
    "": 0, "a": 1, "hello world": 2, "  two blanks": 3, "tabs\t\tand\n\n\nlines": 5, "don't we'LL": 5, "12345678": 3,
    "\xbd of \xb2": 4, "\u2167 and \u0661\u0662\u0663": 10, "\u6f22\u5b57\u304b\u306a\u4ea4\u3058\u308a\u6587": 9,
    "\U0001f98a\U0001f98a fox": 7, "na\xefve caf\xe9": 4, "_private __init__": 4, "x\x1cy\x1fz": 5,
    "end \r\n\r\n  next": 4, "a\u2028b\xa0c\x85d": 9, "def f(self, path: str) -> None:\n    return None\n": 15,
    '{"citation":"a/b.py#L1-L2@1a2b3c4d"}': 21, "zzzzqqqqxxxxjjjjvvvvwwww": 11, "e\u0301\u0301": 3,
    "\u017f's \u017f'\u017f": 8, "   \n   x": 3,
}  # fmt: skip


def test_a_text_has_as_many_tokens_as_its_tokenizer_finds():
    assert {text: count_exact_tokens(text) for text in COUNTED} == COUNTED


def test_the_table_is_whole():
    assert len(read_ranks()) == TOKENS
    assert all(bytes([byte]) in read_ranks() for byte in range(256))


def test_a_text_of_anything_can_be_counted():
    assert count_exact_tokens("\ud800") == 2
    assert count_exact_tokens("".join(map(chr, range(0, 0x3000, 7)))) > 1000
