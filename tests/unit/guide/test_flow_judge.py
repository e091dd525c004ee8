"""How `benchmarks.flow` judges an answer: which points of a rubric it touches, and which edges it claims."""

import pytest

from benchmarks.flow import Answer, Point, find_certain_edges, is_touched, read_rubrics

HANDLE = Point("A handler answers.", "src/server.go", 20, 30, "Server.handle")
HALVES = ("development", "once")
PARSE = Point("The line is parsed.", "src/parse.c", 5, 9, "parse")


def place(start: int, end: int, path: str = "src/server.go") -> Answer:
    return Answer("", [{"path": path, "start": start, "end": end, "shown": False}])


@pytest.mark.parametrize(("start", "end"), [(1, 20), (30, 44), (22, 23), (1, 99), (20, 30)])
def test_an_item_that_shares_a_line_with_a_point_touches_it(start: int, end: int):
    assert is_touched(HANDLE, place(start, end))


@pytest.mark.parametrize(("start", "end"), [(1, 19), (31, 44)])
def test_an_item_beside_a_point_does_not_touch_it(start: int, end: int):
    assert not is_touched(HANDLE, place(start, end))


def test_an_item_in_another_file_or_without_lines_touches_nothing():
    assert not is_touched(HANDLE, place(20, 30, "lib/src/server.go"))
    assert not is_touched(HANDLE, Answer("", [{"path": "src/server.go"}]))


@pytest.mark.parametrize("name", ["Server.handle", "Server::handle", "Server#handle", "http.Server.handle"])
def test_a_text_that_has_the_path_and_the_qualified_name_touches_the_point(name: str):
    assert is_touched(HANDLE, Answer(f"src/server.go:1-9 Server.run\n  also calls {name} :7", []))


@pytest.mark.parametrize(
    "text", ["Server.handle", "src/server.go handle", "src/server.go Server.handler", "src/server.go MyServer.handle"]
)
def test_a_text_that_has_only_a_part_of_it_does_not(text: str):
    assert not is_touched(HANDLE, Answer(text, []))


def test_a_name_without_a_class_must_be_in_the_line_of_its_path():
    assert is_touched(PARSE, Answer("src/parse.c:5-9 parse", []))
    assert not is_touched(PARSE, Answer("src/parse.c:1-2 main\nThey parse a line.", []))


def test_a_nested_name_may_be_told_by_its_last_two_parts():
    nested = HANDLE._replace(name="Server.Worker.run")
    assert is_touched(nested, Answer("src/server.go Worker.run", []))
    assert not is_touched(nested, Answer("src/server.go run", []))


def test_certain_edges_lead_from_the_last_item_one_level_up():
    items = [
        {"path": "a.py", "start": 1, "end": 9, "symbol": "serve", "depth": 0},
        {"path": "a.py", "start": 12, "symbol": "answer", "depth": 1, "via": "call", "certain": True, "at": 4},
        {"path": "b.py", "start": 3, "symbol": "log", "depth": 2, "via": "call", "certain": False, "at": 13},
        {"path": "c.py", "start": 7, "symbol": "close", "depth": 1, "via": "passed", "certain": True},
    ]
    assert find_certain_edges(items) == [
        "a.py:4 serve -call-> a.py:12 answer",
        "a.py:1 serve -passed-> c.py:7 close",
    ]


def test_each_question_has_ten_to_fourteen_points_and_half_of_them_are_for_judging():
    rubrics = read_rubrics()
    questions = {
        half: [each for rubric in rubrics if rubric.half == half for each in rubric.questions] for half in HALVES
    }
    assert len(questions["development"]) >= 24
    assert len(questions["once"]) >= 12
    assert len({rubric.language for rubric in rubrics if rubric.half == "once"}) >= 4
    for question in (*questions["development"], *questions["once"]):
        assert 10 <= len(question.points) <= 14
        assert all(point.start <= point.end for point in question.points)
