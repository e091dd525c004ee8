"""The linear engine says what `re` says, for the expressions that it takes, in texts of any script."""

import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from fieldguide.text import regex
from fieldguide.text.regex import encode_text
from fieldguide.text.regex_syntax import NotLinear

EXPRESSIONS = [
    r"\bfoo\b", r"(?<!\w)(?:foo|ba[rz])(?!\w)", r"\s+$", r"(a|b)(?=-|$)", r"^x", r"(?m)^\s*(\w+)$", r"[^\w\- ]",
    r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(`\[]?[A-Z0-9])", r"[.!?](?=\s|$)|(?<=\S)\s+[—–]\s+(?=[A-Z])", r"\w+", r"a*",
    r"(?i)(?P<x>foo)|(?P<y>bar)$", r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", r"(\d+)é", r"(?<!`)\bpanic(?:s)?\b(?!`)",
    r"[A-Za-z_]\w*", r"\W*(\w)\W*$", r"instead(?! of)", r"[^\W_]+", r"(?<=.)-", r"(?s:.)\Z", r"(?x) a \s # spaces",
]  # fmt: skip
PIECES = [
    "foo", "bar", "baz", " ", "\n", "a", "b", "-", "x", "é", "ñ", "—", ".", "!", "A", "panic", "`", "7", "_", "日",
    "\u00a0", "\ud800", "😀", "instead", " of",
]  # fmt: skip


def told(matches: Any) -> list[Any]:
    return [(m.span(), m.group(), m.groups(), m.groupdict()) for m in matches]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_it_finds_what_re_finds(expression):
    theirs, ours = re.compile(expression), regex.compile(expression)
    chance = random.Random(expression)
    for _ in range(600):
        text = "".join(chance.choices(PIECES, k=chance.randint(0, 8)))

        assert told(ours.finditer(text)) == told(theirs.finditer(text)), text
        assert told(filter(None, [ours.match(text)])) == told(filter(None, [theirs.match(text)])), text
        assert told(filter(None, [ours.search(text)])) == told(filter(None, [theirs.search(text)])), text
        assert ours.findall(text) == theirs.findall(text)
        assert ours.spans(text) == [match.span() for match in theirs.finditer(text)]
        assert ours.split(text, 2) == theirs.split(text, 2)
        assert ours.sub("<>", text) == theirs.sub("<>", text)
        assert ours.sub(lambda match: match.group().upper(), text, 1) == theirs.sub(
            lambda m: m.group().upper(), text, 1
        )


@pytest.mark.parametrize("expression", ["a+", r"\w+\s\w+", "(?i)foo|foobar", "x$"])
def test_a_whole_match_is_the_whole_text(expression):
    for text in ("a", "aa", "ab", "é b", "é b\n", "FOOBAR", "x", "x\n", ""):
        theirs = re.fullmatch(expression, text)

        assert (regex.fullmatch(expression, text) is None) == (theirs is None)


def test_a_replacement_may_name_groups():
    assert regex.sub(r"(\w+)=(\w+)", r"\2=\1", "a=b, é=d") == "b=a, d=é"


def test_bytes_are_matched_as_bytes():
    pattern = regex.compile(rb'"(\w+)"\s*:')

    assert pattern.findall(b'\xff"id" : 1') == [b"id"]
    assert regex.search("\\bclass é".encode(), "a class été".encode())


def test_an_escaped_text_matches_itself():
    text = "a.b*c [x] (y) {z} é \\ ^$ | # - &~"

    assert regex.escape(text) == re.escape(text)
    assert regex.fullmatch(regex.escape(text), text)


@pytest.mark.parametrize(
    ("expression", "text", "found"),
    [
        (r"\bgröße\s*=", "die größe = 5", ["größe ="]),
        (r"\bgröße", "übergröße größe", ["größe"]),
        (r"größe\b", "größen größe.", ["größe"]),
        (r"\b(?:class|struct)\s+größe\b", "subclass größe, class größen", []),
        (r"\b(?:class|struct)\s+größe\b", "class größe {", ["class größe"]),
    ],
)
def test_an_expression_with_letters_of_other_scripts_keeps_the_boundaries_at_its_ends(expression, text, found):
    assert regex.findall(expression, text) == found == re.findall(expression, text)


@pytest.mark.parametrize(
    "expression", [r"(a)\1", r"a++", r"(?:a(?=b)c)+", r"(?<=ab)c", r"a(?!b+)", r"(?P=x)", r"(?>a)", r"[\S]"]
)
def test_what_a_linear_engine_has_not_is_refused(expression):
    with pytest.raises(NotLinear):
        regex.search(expression, "é")


def test_who_sends_a_place_goes_on_behind_it():
    for text in ("a b a c a", "é b é c é"):
        matches = regex.compile(r"\w").finditer(text)
        next(matches)

        assert matches.send(6).start() == 6


def test_a_pattern_costs_nothing_until_it_meets_a_text():
    code = "import sys; from fieldguide.text import regex as r; p = r.compile('a('); print('re2' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.strip() == "False"


def test_threads_share_a_pattern():
    pattern = regex.compile(r"\b(?:foo|bar)\b(?=\s)")

    with ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda text: len(pattern.findall(text)), ["foo bar foo é bar " * 200] * 8)

    assert list(found) == [800] * 8


def test_every_letter_there_is_becomes_the_stand_in():
    text = "".join(map(chr, range(0x110000)))

    read = encode_text(text, "_")

    assert len(read.characters) == len(text)
    assert not any(each > "\x7f" and each.isalnum() for each in read.characters)
