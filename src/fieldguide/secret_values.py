"""Values that look like live keys and tokens, taken out of text before it is kept: one place knows what they look like.

The text is judged by one pass of RE2, which finds nothing in nearly every text; only then each shape is looked for. A
value that somebody plainly made up, such as `AKIAIOSFODNN7EXAMPLE`, is none.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from math import log2
from typing import Any, NamedTuple, cast

MARK = "[secret removed]"
LEAST_CHARACTERS = 16  # no value that we know is shorter, with what stands around it
SHORT = 1000
DEEPEST = 12
URL = r"://[^\s/:@\"'<>`\\]{0,64}:([^\s/@\"'<>`\\]{8,200})@[A-Za-z0-9\[]"
KEY_BEGIN = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
KEY_END = "-----END"
KEY_KIND = "private key"
URL_KIND = "password in an address"
LONGEST_KEY = 64 << 10
LEAST_KEY_CHARACTERS = 64
LEAST_BITS = 3.0  # of information in each character; words and repetitions have less, random letters more
LONG_WORD = 58  # from here on a value, in three parts, may have none that is always the same
BODY = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
HINTS = (
    "AKIA", "ASIA", "ecret", "ECRET", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-",
    "fgt_", "glcbt-", "glptt-", "glft-", "gloas-", "glsoat-", "glimt-", "glagent-", "glsa_", "xox", "xapp-",
    "hooks.slack", "webhooks/", "_live_", "AIza", "ya29.", "GOCSPX-", "npm_", "pypi-AgE", "sk-", "hf_", "gsk_", "SG.",
    "SK", "key-", "-us", "AccountKey", "AccessKey", "_v1_", "dapi", "sq0", "shp", ":AA", "dckr_", "rubygems_",
    "hvs.", "hvb.", ".atlasv1.", "NRAK-", "sntry", "lin_api_", "ntn_", "ATATT3", "sbp_", "sb_secret_", "dp.", "tskey-",
    "AGE-SECRET", "eyJ", "LS0t",
)  # fmt: skip
MADE_UP = (
    "example", "sample", "dummy", "placeholder", "redacted", "changeme", "change-me", "12345678", "abcdef", "foobar",
    "password", "passwd", "...", "****", "xxxxxx", "000000",
)  # fmt: skip
MADE_UP_SHORT = ("test", "fake", "your", "secret", "token", "insert")  # in a long value they may stand by chance
LONG_VALUE = 80
KNOWN_TO_ALL = frozenset((
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",  # Azure's emulator
))  # fmt: skip


class Found(NamedTuple):
    """A value in a text: its kind, and where it stands."""

    kind: str
    start: int
    end: int


def without_secret_values(text: str) -> str:
    """The text with a mark in place of each such value; it has as many lines as before. Often it is the same text."""
    found = _found(text)
    if not found:
        return text
    pieces: list[str] = []
    at = 0
    for each in found:
        value = text[each.start : each.end]
        pieces += (text[at : each.start], MARK, "".join(each for each in value if each in "\r\n"))
        at = each.end
    return "".join((*pieces, text[at:]))


def secret_value_kinds(text: str) -> list[str]:
    """The kind of each such value, in the order of the text."""
    return [each.kind for each in _found(text)]


def without_secret_values_in(value: Any, depth: int = 0) -> Any:
    """A value as JSON has them, with every text in it made free of such values."""
    if isinstance(value, str):
        return without_secret_values(value)
    if depth > DEEPEST:
        return value if value is None or isinstance(value, int | float) else "…"
    if isinstance(value, dict):
        said = cast("dict[str, Any]", value)
        return {without_secret_values_in(key): without_secret_values_in(each, depth + 1) for key, each in said.items()}
    if isinstance(value, list | tuple):
        return [without_secret_values_in(each, depth + 1) for each in cast("list[Any]", value)]
    return value


def _found(text: str) -> list[Found]:
    """Every value, none of them within another, in order."""
    if len(text) < LEAST_CHARACTERS or (len(text) <= SHORT and not _may_hold(text)):
        return []
    haystack = text.encode("ascii", errors="replace")  # a byte for each character, so that places stay the same
    if _patterns()[0].search(haystack) is None:
        return []
    kept: list[Found] = []
    for each in sorted([*_values(haystack, text), *_keys(haystack, text)], key=lambda each: (each.start, -each.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


def _may_hold(text: str) -> bool:
    """Whether a short text is worth the import of RE2: the journal writes many, and nearly none is."""
    if ("@" in text and "://" in text) or "Q~" in text or "PRIVATE KEY" in text:
        return True
    if not any(len(part) >= LEAST_CHARACTERS for part in text.replace("/", " ").replace(".", " ").split()):
        return False
    return any(map(_is_in_parts, text.split())) or any(hint in text for hint in HINTS)


def _is_in_parts(word: str) -> bool:
    """Whether a word may be a signed token: long, and of parts between dots."""
    return len(word) >= LONG_WORD and word.count(".") > 1


def _values(haystack: bytes, text: str) -> Iterator[Found]:
    from fieldguide.secret_shapes import SHAPES

    _, shapes, address, _ = _patterns()
    for shape, pattern in zip(SHAPES, shapes, strict=True):
        for match in pattern.finditer(haystack):
            start, end = match.span(1)
            value = text[start:end]
            is_proved = shape.proves is not None and shape.proves(value)
            if is_proved or (_is_live(value) and (shape.accepts is None or shape.accepts(value))):
                yield Found(shape.kind, start, end)
    for match in address.finditer(haystack):
        start, end = match.span(1)
        if _is_password(text[start:end]):
            yield Found(URL_KIND, start, end)


def _keys(haystack: bytes, text: str) -> Iterator[Found]:
    """Private keys from the first line of each to its last; one without an end goes as far as it looks like one."""
    begun = [match.span() for match in _patterns()[3].finditer(haystack)]
    for (start, first), (following, _) in pairwise([*begun, (len(text), len(text))]):
        most = min(following, first + LONGEST_KEY)  # so that no character is looked at for two keys
        stop = text.find(KEY_END, first, most)
        if stop >= 0:
            end = text.find("-----", stop + len(KEY_END), stop + 80)
            end = stop + len(KEY_END) if end < 0 else end + 5
        else:
            end = stop = _end_of_body(text, first, most)
        body = text[first:stop].replace("\\n", "")
        if sum(each in BODY for each in body) >= LEAST_KEY_CHARACTERS and "..." not in body and not _is_run(body):
            yield Found(KEY_KIND, start, end)


def _end_of_body(text: str, at: int, most: int) -> int:
    """Where the lines that could belong to a key end."""
    while at < most and (text[at] in BODY or text[at] in "\r\n\\\t \"',:-"):
        at += 1
    return at


def _is_live(value: str) -> bool:
    """Whether a value looks as if a machine had drawn it: no words of ours, no run, enough information."""
    body = value.rpartition("_")[2] if value.count("_") == 1 else value
    if value in KNOWN_TO_ALL or _is_made_up(value) or not any(map(str.isdigit, body)):
        return False
    return _bits(body) >= LEAST_BITS and not _is_run(body)


def _is_password(value: str) -> bool:
    """Whether the password in an address looks like one that somebody uses: no variable, no plain word."""
    if any(each in value for each in "${}<>*()[]%|,;") or _is_made_up(value):
        return False
    has_all = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_all and _bits(value) >= LEAST_BITS - 0.5 and not _is_run(value)


def _is_made_up(value: str) -> bool:
    folded = value.casefold()
    words = MADE_UP if len(value) > LONG_VALUE else MADE_UP + MADE_UP_SHORT
    return any(word in folded for word in words)


def _is_run(value: str) -> bool:
    """Whether a third of the characters or more follow the one before them, as in `abcdef` and `aaaa`."""
    steps = sum(ord(after) - ord(before) in (0, 1) for before, after in pairwise(value))
    return steps * 3 >= len(value)


def _bits(value: str) -> float:
    counts = Counter(value).values()
    return -sum(count / len(value) * log2(count / len(value)) for count in counts)


@cache
def _patterns() -> tuple[Any, tuple[Any, ...], Any, Any]:
    """All shapes at once, each by itself, addresses and keys; compiled when the first text comes that is worth it."""
    from fieldguide.secret_shapes import SHAPES

    re2: Any = import_module("re2")  # it has no types
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False

    def compiled(pattern: str) -> Any:
        return re2.compile(pattern.encode(), options)

    alone = tuple(compiled(shape.pattern) for shape in SHAPES)
    address, key = compiled(URL), compiled(KEY_BEGIN)
    options.never_capture = True
    union = compiled("|".join((*(shape.pattern for shape in SHAPES), URL, KEY_BEGIN)))
    return union, alone, address, key
