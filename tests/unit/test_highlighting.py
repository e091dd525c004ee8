"""Code is split into tokens that are the text again, whatever the text is."""

import random

import pytest

from fieldguide.code.highlighting import ALIASES, KINDS, SYNTAXES, CodeToken, tokenize_code, tokenize_lines


def kinds_of(language: str, text: str) -> dict[str, str]:
    return {token.text: token.kind for token in tokenize_code(language, text) if token.kind}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "python",
            '@cached\ndef find(path: Path) -> None:  # quickly\n    return f"{path}" + str(12)\n',
            {
                "@cached": "name", "def": "keyword", "find": "function", "Path": "type", "None": "constant",
                "# quickly": "comment", "return": "keyword", 'f"{path}"': "string", "str": "function", "12": "number",
            },
        ),
        ("go", "func (r *Route) Match() bool { // all\n\treturn `a\nb` }", {
            "func": "keyword", "Route": "type", "Match": "function", "bool": "keyword", "// all": "comment",
            "return": "keyword", "`a\nb`": "string",
        }),
        ("rust", "#[test]\nfn f<'a>() { println!(\"{}\", 'x') }", {
            "#[test]": "name", "fn": "keyword", "println": "function", '"{}"': "string", "'x'": "string",
        }),
        ("json", '{"name": "x", "n": 1.5, "on": true}', {
            '"name"': "name", '"x"': "string", '"n"': "name", "1.5": "number", '"on"': "name", "true": "constant",
        }),
        ("markdown", "# A title\nSee `code` of 2024.\n", {"# A title": "name", "`code`": "string"}),
    ],
)  # fmt: skip
def test_tokens_have_the_kinds_of_their_language(language, text, expected):
    assert kinds_of(language, text) == expected


def test_an_alias_is_tokenized_like_its_language():
    assert kinds_of("typescript", "const x = 'a'") == {"const": "keyword", "'a'": "string"}
    assert set(ALIASES.values()) <= set(SYNTAXES)


def test_what_has_no_end_takes_the_rest_and_is_split_at_lines():
    lines = tokenize_lines("python", ['x = """a', "b", "", "c"])

    assert lines == [
        [CodeToken("", "x = "), CodeToken("string", '"""a')],
        [CodeToken("string", "b")],
        [],
        [CodeToken("string", "c")],
    ]


@pytest.mark.parametrize("language", [*SYNTAXES, None, "unknown"])
def test_the_tokens_of_any_text_are_the_text(language):
    chance = random.Random(str(language))
    pieces = ['"', "'", '"""', "`", "\\", "/*", "*/", "//", "#", "--", "[[", "\n", " ", "a1", "É", "漢", "\0", "\ud800"]
    for _ in range(60):
        text = "".join(chance.choices(pieces, k=40))
        tokens = [*tokenize_code(language, text)]
        assert "".join(token.text for token in tokens) == text
        assert all(token.kind in ("", *KINDS) for token in tokens)
        assert len(tokenize_lines(language, text.split("\n"))) == text.count("\n") + 1
