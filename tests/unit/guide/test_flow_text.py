"""How `guide_flow` writes steps that the front door seldom joins: shared callees, and names with several overloads."""

from types import SimpleNamespace
from typing import Any, cast

from fieldguide.code.symbols.calls import IMPLEMENTS, CallEdge
from fieldguide.code.symbols.resolvers.values import DefinitionPlace
from fieldguide.toolsets.guide.flow import FlowStep, FlowText
from fieldguide.toolsets.guide.flow_search import StepGraph
from tests.proves import proves

NAMES = {0: "Logger.write", 1: "Sink.emit", 2: "Filter.emit", 3: "Logger.write"}


def at(place: int) -> DefinitionPlace:
    return DefinitionPlace("log.py", place)


class Graph:
    """Three functions, of which two call the same one."""

    def calls(self, place):
        ways = {
            0: [CallEdge(at(0), at(1), 12)],
            2: [CallEdge(at(2), at(1), 31), CallEdge(at(2), at(0), 33, IMPLEMENTS)],
        }
        return ways.get(place.place, [])

    def qualified(self, place):
        return NAMES[place.place]

    def definition(self, place):
        return SimpleNamespace(line=10 * place.place + 1, end_line=10 * place.place + 5)


def make_text() -> FlowText:
    lines = SimpleNamespace(hash=lambda path, start, end: "0" * 8)
    return FlowText(cast("Any", Graph()), cast("Any", lines))


@proves("G-140")
def test_a_call_of_a_step_that_stands_elsewhere_is_told_by_name():
    first = CallEdge(at(0), at(1), 12)
    shown = {at(0), at(1), at(2)}

    assert make_text().again(FlowStep(at(0), 0, None), shown, {first}) == ""
    assert make_text().again(FlowStep(at(2), 1, None), shown, {first}) == " (also → emit :31)"


@proves("G-140")
def test_definitions_of_one_name_are_listed_together():
    assert make_text().near("log.py", [at(0), at(1), at(3)]) == "log.py: Logger.write :1/31, Sink.emit :11"


@proves("G-140")
def test_a_step_gets_more_of_a_function_that_calls_few_and_the_other_direction_counts_too():
    steps = StepGraph()
    steps.expand(at(0), [CallEdge(at(0), at(1), 12)])
    steps.expand(at(2), [CallEdge(at(2), at(1), 31), CallEdge(at(2), at(3), 32)])

    reached = steps.walk({at(0): 1.0})
    assert reached[at(1)] > reached[at(2)] > reached[at(3)] > 0
    assert steps.walk({at(2): 1.0})[at(1)] < steps.walk({at(0): 1.0})[at(1)]
    assert steps.walk({at(1): 1.0})[at(0)] > 0
