"""The call graph that `guide_flow` follows: which definitions a call leads to, and how certain that is."""

from fieldguide.code.symbols.calls import CALLS, IMPLEMENTS, MOST_RESOLVED
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.values import DefinitionPlace
from fieldguide.text.cancellation import Cancellation


def calls_of(asked, name: str) -> list[tuple[str, str, int, str, bool]]:
    """The steps of a symbol: target, its path, the line, how, and whether it is certain."""
    symbol = asked.symbol(name)
    with asked.symbols.call_graph(Cancellation()) as graph:
        edges = graph.calls(DefinitionPlace(symbol.path, symbol.place))
        return [
            (graph.qualified(each.target), each.target.path, each.line, each.via, each.is_certain) for each in edges
        ]


def test_a_call_of_what_a_header_declares_leads_to_its_body(small_project):
    asked = small_project(
        {
            "parse.h": "int parse(int x);\n",
            "parse.c": '#include "parse.h"\n\nint parse(int x) {\n    return x;\n}\n',
            "main.c": '#include "parse.h"\n\nint run(void) {\n    return parse(1);\n}\n',
        }
    )

    assert calls_of(asked, "run") == [("parse", "parse.c", 4, CALLS, True)]


def test_a_call_of_what_no_header_declares_may_mean_a_library_and_is_not_certain(small_project):
    asked = small_project(
        {
            "inject.c": "int fgets(int x) {\n    return x;\n}\n",
            "main.c": "#include <stdio.h>\n\nstatic int own(void) {\n    return 1;\n}\n\n"
            "int run(void) {\n    return fgets(1) + own();\n}\n",
        }
    )

    assert calls_of(asked, "run") == [("fgets", "inject.c", 8, CALLS, False), ("own", "main.c", 8, CALLS, True)]


def test_reading_a_property_runs_it_and_a_class_that_is_called_runs_its_constructor(small_project):
    text = """\
class Task:
    def __init__(self):
        self.rate = 1

    @property
    def speed(self):
        rate = self.rate
        return rate


def show():
    task = Task()
    return task.speed, task.rate
"""
    asked = small_project({"task.py": text})

    assert calls_of(asked, "show") == [
        ("Task.__init__", "task.py", 12, CALLS, True),
        ("Task", "task.py", 12, CALLS, True),
        ("Task.speed", "task.py", 13, CALLS, True),
    ]


HANDLERS = {
    "Handler.php": "<?php\ninterface HandlerInterface {\n    public function handle($record);\n}\n",
    **{
        f"{name}Handler.php": f"<?php\nclass {name}Handler implements HandlerInterface {{\n"
        "    public function handle($record) {\n        return $record;\n    }\n}\n"
        for name in ("File", "Mail", "Null")
    },
    "Request.php": "<?php\nclass Request {\n    public function handle($x) {\n        return $x;\n    }\n}\n",
    "Logger.php": "<?php\nclass Logger {\n    public function log($handlers, $record) {\n"
    "        foreach ($handlers as $handler) {\n            $handler->handle($record);\n        }\n    }\n}\n",
}


def test_a_call_on_a_variable_named_like_an_interface_may_mean_its_method_and_leads_on_to_what_implements_it(
    small_project,
):
    asked = small_project(HANDLERS)

    assert calls_of(asked, "Logger.log") == [("HandlerInterface.handle", "Handler.php", 5, CALLS, False)]
    assert sorted(each[0] for each in calls_of(asked, "HandlerInterface.handle") if each[3] == IMPLEMENTS) == [
        "FileHandler.handle",
        "MailHandler.handle",
        "NullHandler.handle",
    ]


def test_a_call_that_many_unrelated_functions_may_mean_leads_nowhere(small_project):
    unrelated = {f"m{n}.py": f"class Kind{n}:\n    def render_all(self):\n        return {n}\n\n\n" for n in range(5)}
    asked = small_project({**unrelated, "use.py": "def show(thing):\n    thing.render_all()\n"})

    assert calls_of(asked, "show") == []


def test_a_call_that_cannot_be_resolved_means_no_function_of_a_test_or_of_another_language(small_project):
    asked = small_project(
        {
            "shop.py": "class Shop:\n    def render_all(self):\n        return 1\n",
            "tests/test_shop.py": "class Fake:\n    def render_all(self):\n        return 2\n",
            "view.js": "class View {\n  render_all() {\n    return 3;\n  }\n}\n",
            "use.py": "def show(thing):\n    thing.render_all()\n",
        }
    )

    assert calls_of(asked, "show") == [("Shop.render_all", "shop.py", 2, CALLS, False)]


def test_a_type_of_csharp_with_type_parameters_is_another_than_one_of_its_name_without(small_project):
    asked = small_project(
        {
            "Plain.cs": "abstract class Plan {\n    public abstract int Run();\n}\n",
            "Given.cs": "abstract class Plan<T> {\n    public abstract int RunTyped();\n}\n",
            "Fast.cs": "class Fast : Plan {\n    public override int Run() { return 1; }\n"
            "    public int RunTyped() { return 1; }\n}\n",
            "Slow.cs": "class Slow : Plan<int> {\n    public override int RunTyped() { return 2; }\n"
            "    public int Run() { return 2; }\n}\n",
        }
    )

    assert [target for target, *_ in calls_of(asked, "Plan.Run")] == ["Fast.Run"]
    assert [target for target, *_ in calls_of(asked, "Plan.RunTyped")] == ["Slow.RunTyped"]


def test_a_constructor_is_not_an_implementation_of_the_one_above(small_project):
    text = """\
class Base:
    def __init__(self):
        self.open()

    def open(self):
        return 1


class Child(Base):
    def __init__(self):
        super().__init__()

    def open(self):
        return 2
"""
    asked = small_project({"base.py": text})

    assert ("Base.open", "base.py", 3, CALLS, True) in calls_of(asked, "Base.__init__")
    assert all(each[3] != IMPLEMENTS for each in calls_of(asked, "Base.__init__"))
    assert [each[0] for each in calls_of(asked, "Base.open")] == ["Child.open"]


def test_callers_are_found_under_the_name_that_an_import_gives_and_tests_are_none(small_project):
    asked = small_project(
        {
            "markup.py": "def render(text):\n    return text\n",
            "console.py": "from markup import render as render_markup\n\n\ndef show():\n    render_markup('a')\n",
            "tests/test_markup.py": "from markup import render\n\n\ndef test_it():\n    render('a')\n",
        }
    )
    symbol = asked.symbol("render")

    with asked.symbols.call_graph(Cancellation()) as graph:
        callers = graph.callers(DefinitionPlace(symbol.path, symbol.place))

        assert [(graph.qualified(each.source), each.line, each.is_certain) for each in callers] == [("show", 5, True)]


def test_of_a_name_that_is_used_everywhere_only_some_uses_are_resolved_for_callers(small_project, monkeypatch):
    many = "".join(f"def use_{n}(thing):\n    thing.go_on()\n\n\n" for n in range(200))
    asked = small_project({"thing.py": "class Thing:\n    def go_on(self):\n        return 1\n", "uses.py": many})
    symbol = asked.symbol("Thing.go_on")
    resolved: list[str] = []
    meant = SymbolResolver.meant

    def counted(resolver, path, use):
        resolved.append(use.name)
        return meant(resolver, path, use)

    monkeypatch.setattr(SymbolResolver, "meant", counted)
    with asked.symbols.call_graph(Cancellation()) as graph:
        assert graph.callers(DefinitionPlace(symbol.path, symbol.place)) == []

    assert len(resolved) == MOST_RESOLVED


def test_edges_of_a_question_that_ran_out_of_steps_are_not_kept(small_project, monkeypatch):
    asked = small_project(
        {
            "shop/__init__.py": "",
            "shop/prices.py": "from shop.rates import rate\n\n\ndef total():\n    return rate()\n",
            "shop/rates.py": "def rate():\n    return 2\n",
        }
    )

    with monkeypatch.context() as bounded:
        bounded.setattr(SymbolResolver, "most_steps", 1)
        lacking = calls_of(asked, "total")

    assert [certain for *_, certain in lacking] != [True]
    assert calls_of(asked, "total") == [("rate", "shop/rates.py", 5, CALLS, True)]
