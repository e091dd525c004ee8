"""Projects that try to hold up reading or asking, and passes that are broken off."""

import pytest

from fieldguide.code.symbols import facts, index
from fieldguide.code.symbols.resolvers.values import DefinitionPlace
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Cancelled


def test_what_leads_to_itself_ends(small_project):
    asked = small_project(
        {
            "a.py": "from b import thing\nfrom b import *\nclass A(B): ...\nclass B(A):\n    def f(self): ...\n",
            "b.py": "from a import thing\nfrom a import *\nx = x.y\ny = x()\nz = y.f()\nA().f()\nthing.f()\n",
            "c.py": "class C(C):\n    me = me\n    def f(self):\n        return self.f().f().f()\nC().f()\n",
        }
    )

    assert asked.certain("B.f") == [("b.py", 6, "call")]
    assert asked.symbols.overrides(asked.symbol("C.f")) == ([], [])
    assert ("c.py", 5, "call") in asked.certain("C.f")
    assert asked.references("thing") == [] if asked.symbols.definitions("thing") else True


def test_texts_that_are_too_much_are_not_read_and_the_rest_is(small_project):
    asked = small_project(
        {
            "line.py": "def lost(): ...\n" + "x = [" + "a.b, " * 200_000 + "]",
            "deep.py": "def lost(): ...\n" + "(" * 30_000 + ")" * 30_000,
            "broken.py": "def kept():\n    good()\ndef (:\n" + ")]}" * 200,
            "good.py": "def good(): ...\n",
            "nested.py": "".join(f"{' ' * n}class C{n}:\n" for n in range(300)) + " " * 300 + "def last(self): ...\n",
            "chain.py": "import good\n" + "good." + "good." * 900 + "good()\n",
        }
    )

    assert asked.symbols.definitions("lost") == []
    assert asked.symbol("good").path == "good.py"
    assert asked.symbols.definitions("kept")
    assert asked.symbol("last", "nested.py").kind == "method"


def test_a_name_that_everybody_has_is_answered_in_bounds(small_project):
    files = {f"m{n}.py": f"class C{n}:\n    def get(self): ...\ndef f(x):\n    x.get()\n" for n in range(60)}
    asked = small_project(files)

    found = asked.symbols.definitions("get")
    uses = asked.symbols.references(found[0])

    assert len(found) == 60
    assert len({each.confidence for each in uses}) <= 2
    assert uses == asked.symbols.references(asked.symbols.definitions("get")[0])


def test_a_pass_that_was_broken_off_goes_on_where_it_ended(engine, symbol_project, monkeypatch):
    files = {f"m{n}.py": f"def f{n}(): ...\n" for n in range(6)}
    asked = symbol_project({})
    for path, text in files.items():
        asked.write(path, text)
    monkeypatch.setattr(index, "BATCH", 2)
    reading = index.read_file_facts
    read: list[str] = []

    def breaking(path, text):
        if len(read) == 5:
            raise KeyboardInterrupt
        read.append(path)
        return reading(path, text)

    monkeypatch.setattr(index, "read_file_facts", breaking)
    with pytest.raises(KeyboardInterrupt):
        asked.bring_up()
    kept = [name for name in map("f{}".format, range(6)) if asked.symbols.definitions(name)]
    monkeypatch.setattr(index, "read_file_facts", reading)

    assert len(kept) == 4
    assert asked.bring_up() == 2
    assert all(asked.symbols.definitions(f"f{n}") for n in range(6))


def test_modules_of_ruby_that_include_names_of_nowhere_inside_each_other_are_answered_in_bounds(small_project):
    opened = "".join(f"module M{n}\n" + "".join(f"include X{n}{m}\n" for m in range(9)) for n in range(12))
    asked = small_project({"deep.rb": opened + "def last\nfirst()\nend\n" + "end\n" * 12, "b.rb": "def first\nend\n"})

    uses = asked.symbols.references(asked.symbol("first"))

    assert [(each.path, each.line) for each in uses] == [("deep.rb", 122)]
    assert asked.symbols.callees(asked.symbol("last")) == []


def test_the_call_graph_of_one_large_file_reads_each_use_once_and_ends_when_it_is_cancelled(small_project, monkeypatch):
    text = "".join(f"def step_{n}(x):\n    step_{(n + 1) % 300}(x)\n    x.go_{n}()\n" for n in range(300))
    asked = small_project({"steps.py": text})
    unpacked: list[int] = []
    unpack_use = facts.unpack_use

    def counted(name, flat, at):
        unpacked.append(at)
        return unpack_use(name, flat, at)

    monkeypatch.setattr(facts, "unpack_use", counted)
    cancellation = Cancellation()
    at = DefinitionPlace("steps.py", asked.symbol("step_0").place)

    with asked.symbols.call_graph(cancellation) as graph:
        for _ in range(200):
            (edge,) = graph.calls(at)
            at = edge.target
        assert graph.qualified(at) == "step_200"
        assert len(unpacked) <= 2 * 3 * 200  # the uses of those functions, and not of the whole file for each
        cancellation.set()
        with pytest.raises(Cancelled):
            graph.calls(at)
