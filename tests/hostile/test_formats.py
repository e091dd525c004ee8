"""JSON, TOML and YAML made to hurt are refused in a sentence, in time that grows with the text at most."""

from contextlib import suppress

import pytest

from fieldguide.text.data_formats import MalformedText, read_json, read_toml, read_yaml
from fieldguide.toolsets.architecture.rules.pattern import read_pattern
from tests.context_wires import ask_over_stdio
from tests.growth import MOST, Text, growth_of

ALIAS_BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
MERGE_BOMB = "a0: &a0 {x: 1}\n" + "".join(
    f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)
YAML = {
    "aliases": (ALIAS_BOMB, "anchors and aliases"),
    "merges": (MERGE_BOMB, "anchors and aliases"),
    "an alias alone": ("*a", "anchors and aliases"),
    "tags": ("a: !!python/object/apply:os.system [id]", "tags"),
    "depth": ("[" * 100_000, "nested too deeply"),
    "braces": ("{a: " * 50_000, "nested too deeply"),
    "questions": ("? " * 100_000, "nested too deeply"),
    "dashes": ("- " * 100_000, "nested too deeply"),
    "values": ("- a\n" * 60_000, "too large"),
    "length": ("a" * 300_000, "characters"),
    "nothing that is YAML": ("a: [", "expected"),
}
TOML = {
    "a key of many parts": b".".join([b"a"] * 50_000) + b" = 1",
    "a table of many parts": b"[" + b".".join([b"a"] * 50_000) + b"]",
    "quoted parts": b".".join([b'"a"'] * 30_000) + b" = 1",
    "depth": b"a = " + b"[" * 100_000,
    "digits": b"a = " + b"9" * 100_000,
    "length": b"# " + b"a" * 300_000,
    "no UTF-8": b"\xff\xfe",
}
JSON = {
    "depth": b"[" * 500_000,
    "objects": b'{"a":' * 150_000,
    "digits": b"9" * 500_000,
    "infinity": b"1e999",
    "not a number": b"NaN",
    "length": b'"' + b"a" * (1 << 21) + b'"',
    "no UTF-8": b"\xff\xfe",
}


@pytest.mark.parametrize(("text", "reason"), YAML.values(), ids=YAML)
def test_yaml_that_hurts_is_refused_in_a_sentence(text, reason):
    with pytest.raises(MalformedText, match=reason):
        read_yaml(text)


@pytest.mark.parametrize(
    ("read", "content"),
    [*((read_toml, content) for content in TOML.values()), *((read_json, content) for content in JSON.values())],
    ids=[*(f"toml {name}" for name in TOML), *(f"json {name}" for name in JSON)],
)
def test_toml_and_json_that_hurt_are_refused_in_a_sentence(read, content):
    with pytest.raises(MalformedText):
        read(content)


@pytest.mark.parametrize("written", ["9" * 100_000, "190:20:30", "2001-01-01", "0x" + "f" * 9_999, "1_000", "1e9999"])
def test_odd_numbers_of_yaml_are_the_text_that_stands_there(written):
    assert read_yaml(f"a: {written}").root.plain() == {"a": written}


def test_of_a_key_that_is_written_twice_the_last_counts_and_a_merge_is_a_key():
    document = read_yaml("a: 1\n<<: {b: 2}\na: 3\n")

    assert document.root.plain() == {"a": 3, "<<": {"b": 2}}
    assert document.repeated == (("a", 3),)


@pytest.mark.parametrize("unit", ["a: b\n", "- ", "a\n", "'", '"', "# ", "| ", "[a, ", "{a, ", "a: ", "\t", "%", "&a "])
def test_the_cost_of_yaml_grows_with_the_text_at_most(unit):
    def read(text: str) -> None:
        with suppress(MalformedText):
            read_yaml(text)

    found = growth_of("read_yaml", read, Text(unit), least=25_000, most=250_000)

    assert found.ratio <= MOST, str(found)


def test_a_pattern_with_an_alias_bomb_tells_so_and_keeps_its_prose():
    pattern = read_pattern("a", f"---\n{ALIAS_BOMB}---\n# T\n\nNever call `print`.\n")

    assert "anchors and aliases" in pattern.problems[0].message
    assert [rule.id for rule in pattern.rules] == ["never-call-print"]


def test_files_are_read_beside_a_model_and_manifests_that_hurt(project):
    project.write(".context/project.yaml", ALIAS_BOMB)
    project.write("Cargo.toml", TOML["a key of many parts"])
    project.write("src/Cargo.toml", TOML["digits"])
    project.write("package.json", JSON["digits"])
    project.write("tsconfig.json", JSON["depth"])
    project.write("src/main.rs", "mod a;\nuse crate::a::b;\n")
    project.write("src/a.rs", "pub fn b() {}\n")
    project.write("src/main.ts", "import { a } from './a';\n")
    project.write("src/a.ts", "export const a = 1;\n")

    with ask_over_stdio(project) as ask:
        rust = ask("read_file", path="src/main.rs", includeDeps=True).value
        script = ask("read_file", path="src/main.ts", includeDeps=True).value

    assert [each["path"] for each in rust["dependencies"]] == ["src/a.rs"]
    assert [each["path"] for each in script["dependencies"]] == ["src/a.ts"]
    assert rust["metadata"]["module"] is None
