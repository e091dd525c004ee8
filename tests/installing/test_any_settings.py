"""JSON with comments and TOML of any kind: the entry goes in, is read back, and goes without a trace."""

import json
import tomllib

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fieldguide.cli.clients import editing
from fieldguide.cli.clients.editing import JsonText
from fieldguide.text.errors import Refusal

NAME = "fieldguide"
ENTRY = {"command": "/usr/bin/fieldguide", "args": ["serve", "--user", 'änn "o\'x" \\ 雪']}
EXAMPLES = settings(max_examples=60)

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=6)
keys = st.sampled_from(["a", "b c", "mcpServers", "fieldguide", "{", '"', "//", "/*", "é"]) | words
scalars = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | words
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=8
)
servers = st.dictionaries(keys, values, max_size=4).map(lambda them: {k: v for k, v in them.items() if k != NAME})


@st.composite
def jsonc(draw):
    """A document as a person may write it, and what it says."""
    said = draw(st.dictionaries(keys, values, max_size=3))
    if draw(st.booleans()):
        said["mcpServers"] = draw(servers)
    else:
        said.pop("mcpServers", None)
    blank = st.sampled_from(["", " ", "\n", "\t", "\n  ", "/* , } */", '// " {\n', " \n\n "])
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = draw(blank) + _written(draw, blank, said) + draw(blank)
    return text.replace("\n", newline), said


def _written(draw, blank, value):
    if isinstance(value, dict):
        pairs = [
            f"{draw(blank)}{json.dumps(key, ensure_ascii=draw(st.booleans()))}{draw(blank)}:{draw(blank)}"
            f"{_written(draw, blank, inner)}{draw(blank)}"
            for key, inner in value.items()
        ]
        return "{" + ",".join(pairs) + _ending(draw, blank, pairs) + "}"
    if isinstance(value, list):
        items = [draw(blank) + _written(draw, blank, inner) + draw(blank) for inner in value]
        return "[" + ",".join(items) + _ending(draw, blank, items) + "]"
    return json.dumps(value, ensure_ascii=False)


def _ending(draw, blank, parts):
    return ("," if parts and draw(st.booleans()) else "") + draw(blank)


@EXAMPLES
@given(jsonc())
def test_json_with_comments_keeps_every_byte(document):
    text, said = document
    path = ("mcpServers",)
    assert editing.read_all(text) == said

    changed = editing.with_entry(text, path, NAME, ENTRY)
    again = editing.with_entry(changed, path, NAME, ENTRY)

    assert editing.read_all(changed) == {**said, "mcpServers": {**said.get("mcpServers", {}), NAME: ENTRY}}
    assert editing.read_all(again) == editing.read_all(changed)
    assert _comments(changed) == _comments(text)
    back = editing.without_entry(changed, path, NAME, made=editing.count_missing(text, path))
    assert editing.read_all(back) == said
    assert "".join(back.split()) == "".join(text.split())


def _comments(text):
    plain = JsonText(text)
    return "".join(a for a, b in zip(text, plain.plain, strict=True) if a != b and a != ",")


@st.composite
def toml(draw):
    """A document as a person may write it."""
    bare = st.text("abcxyz_-019", min_size=1, max_size=5)
    key = bare | words.map(_quoted) | st.sampled_from(["'a.b'", '"mcp_servers"', "'#'"])
    inner = st.sampled_from(
        ['"x"', "'y#'", "1", "true", "1979-05-27 07:32:00", "'''a\n[b]\n''''", '"""x\\""" \n"""', "[]", "{}"]
    )
    value = inner | st.lists(inner, max_size=3).map(lambda each: "[" + ", # ]\n ".join(each) + "]") | words.map(_quoted)
    lines = draw(
        st.lists(st.tuples(key, value).map(" = ".join) | st.sampled_from(["", "# a [b]", "  # = "]), max_size=5)
    )
    tables = draw(st.lists(st.tuples(bare, key, value), max_size=3))
    lines += [line for table, name, inner in tables for line in (f"[t.{table}] # c", f"  {name}={inner}")]
    if draw(st.booleans()):
        lines += ["[mcp_servers.other]", 'command = "x"']
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines) + draw(st.sampled_from(["", "\n"]))


def _quoted(text):
    return json.dumps(text, ensure_ascii=True)


@EXAMPLES
@given(toml())
def test_toml_keeps_every_byte(text):
    path = ("mcp_servers",)
    try:
        said, entries = tomllib.loads(text), editing.read_entries(text, path, is_toml=True)
        changed = editing.with_entry(text, path, NAME, ENTRY, is_toml=True)
    except (tomllib.TOMLDecodeError, Refusal):  # the same key twice, or mcp_servers is no table: left alone
        assume(False)

    assert tomllib.loads(changed) == {**said, "mcp_servers": {**entries, NAME: ENTRY}}
    assert editing.with_entry(changed, path, NAME, ENTRY, is_toml=True) == changed
    assert editing.without_entry(changed, path, NAME, is_toml=True) == text
