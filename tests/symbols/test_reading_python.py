"""What is read out of a Python text: definitions, what they are of, and the names that are used."""

import zlib

from fieldguide.code.symbols.facts import pack, unpack_shape
from tests.symbols.indexed_symbols import read_facts

TEXT = '''
import os.path
from .models import User as Person, make

LIMIT = 3

class Store(Base, Generic[T]):
    """Keeps people."""
    size: int = 0

    def __init__(self, root: "Person", *more: Person) -> None:
        self.root = root
        self.made = make(LIMIT)

    @property
    def first(self) -> "Person | None":
        found = [x.name for x in self.made]
        return found

    def find(self, key):
        other = Store(root=key)
        return other.first

@app.route("/people")
def people():
    global LIMIT
    LIMIT += 1
    return Store(os.path.join("a")).find(LIMIT)
'''


def test_definitions_tell_kind_place_and_type():
    facts = read_facts(TEXT, "python")
    told = {each.name: each for each in facts.definitions}

    kinds = {name: each.kind for name, each in told.items()}
    assert kinds == {
        "os": "import", "Person": "import", "make": "import", "LIMIT": "constant", "Store": "class", "size": "field",
        "__init__": "method", "root": "field", "made": "field", "first": "field", "x": "local", "find": "method",
        "other": "local", "people": "function", "/people": "route",
    } | {"root": "field"}  # fmt: skip
    assert told["Store"].bases == ("Base", "Generic<T>")
    assert told["Store"].doc == "Keeps people."
    assert (told["Store"].line, told["Store"].column, told["Store"].end_line) == (7, 6, 22)
    assert told["first"].type == ":Person"
    assert told["made"].type == "=make()"
    assert told["find"].type == "=other.first"
    assert told["people"].signature == "def people()"
    assert facts.definitions[told["find"].parent].name == "Store"
    assert [(each.text, each.name) for each in facts.imports] == [("os", ""), (".models", "User"), (".models", "make")]


def test_references_tell_role_receiver_and_place():
    facts = read_facts(TEXT, "python")
    told = {(each.name, each.line, each.role, each.receiver) for each in facts.references}

    assert ("User", 3, "import", "@1") in told
    assert ("Base", 7, "inherit", "") in told
    assert ("Person", 11, "type", "") in told
    assert ("make", 13, "call", "") in told
    assert ("name", 17, "read", "x") in told
    assert ("root", 21, "write", "Store{}") in told
    assert ("LIMIT", 27, "write", "") in told
    assert ("find", 28, "call", "Store()") in told
    assert ("join", 28, "call", "os.path") in told


def test_what_a_function_binds_itself_is_no_reference():
    facts = read_facts("key = 1\ndef f(key, other):\n    mine = key\n    return mine, other, key\n", "python")

    assert [each.name for each in facts.references] == []
    assert [each.name for each in facts.definitions] == ["key", "f"]


def test_hostile_texts_end_in_few_or_no_facts():
    deep = "(" * 5_000 + ")" * 5_000
    nested = "".join(f"{' ' * n}def f{n}():\n" for n in range(400)) + " " * 400 + "pass\n"
    wide = "x = [" + "a.b, " * 60_000 + "]"

    assert read_facts(deep, "python").references == ()
    assert len(read_facts(nested, "python").definitions) > 300
    assert read_facts(wide, "python").references == ()
    assert read_facts("def f(:\n  class\n" * 50, "python") is not None
    assert read_facts("x = " + ".".join(["a"] * 20_000), "python").references == ()
    assert len(read_facts("x = a\n" * 30_000, "python").references) > 1_000
    assert read_facts("a." * 4_000 + "b", "python") is not None


def test_routes_and_commands_are_named_by_their_strings():
    text = """
@app.route("/people/<name>", methods=["GET"])
@cli.command("add-person")
def person(name): ...

@retry("five")
def other(): ...

commands = parser.add_subparsers()
commands.add_parser("serve", help="serve it")
"""

    told = {(each.name, each.kind): each for each in read_facts(text, "python").definitions}

    assert ("/people/<name>", "route") in told
    assert told["/people/<name>", "route"].signature == "def person(name)"
    assert ("add-person", "command") in told
    assert ("serve", "command") in told
    assert not any(name == "five" for name, _ in told)


def test_what_is_kept_and_what_the_version_before_kept_are_read_alike():
    for facts in (read_facts(TEXT, "python"), read_facts("", "python")):
        kept = pack(facts).shape
        before = zlib.compress(zlib.decompress(kept))  # the same, without what stands behind it

        for content in (kept, before):
            definitions, imports = unpack_shape(content)

            assert (tuple(definitions), imports) == facts[0:3:2]
            assert [*definitions.heads()] == [each[:3] for each in facts.definitions]
