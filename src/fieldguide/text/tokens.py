"""Estimates how many tokens a text costs, never below what a tokenizer in use counts.

A plain lower-case letter or a blank counts a third of a token, every other byte two thirds: what is dense in marks,
digits, capitals or other scripts is cut into shorter tokens. `benchmarks/answers.py` holds it beside real tokenizers.
"""

import string
from bisect import bisect_left
from collections.abc import Callable

TOKEN_SAMPLE = 20_000
"""Characters of an answer that tell how many of them are a token."""
MOST_TOKENS = 20_000
LIGHT = (string.ascii_lowercase + " ").encode()
MOST_PER_CHARACTER = 8 / 3  # four bytes, two thirds each


def count_tokens(text: str) -> int:
    """The most tokens that a text counts for."""
    return (count_thirds(text) + 2) // 3


def count_thirds(text: str) -> int:
    """The same in thirds of a token, which can be added up: those of the parts are those of the whole."""
    data = text.encode("utf-8", errors="surrogatepass")
    return len(data) + len(data.translate(None, LIGHT))


def fits(text: str, most: int) -> bool:
    """Whether a text counts for no more tokens than that; a short one is not even counted."""
    return len(text) * MOST_PER_CHARACTER <= most or count_tokens(text) <= most


def truncate_to_tokens(text: str, most: int) -> str:
    """The longest beginning of a text that fits."""
    longest = min(len(text), 3 * max(most, 0))  # no character counts less than a third
    return find_longest_beginning(text, 0, longest, lambda beginning: fits(beginning, most))


def find_longest_beginning(text: str, shortest: int, longest: int, is_fitting: Callable[[str], bool]) -> str:
    """The longest beginning of a text that fits, of these lengths; found by bisection."""
    lengths = range(shortest + 1, longest + 1)
    return text[: shortest + bisect_left(lengths, True, key=lambda length: not is_fitting(text[:length]))]


def estimate_tokens(characters: int, latest_text: str) -> int:
    """How many tokens so many characters are, if all of them count as those of the latest answer do.

    Counting each answer would take longer than many a call.
    """
    from fieldguide.text.tokenizer import count_exact_tokens

    sample = latest_text[:TOKEN_SAMPLE]
    return round(characters * count_exact_tokens(sample) / len(sample)) if sample else 0
