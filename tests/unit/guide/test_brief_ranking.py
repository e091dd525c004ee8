"""The ranking of a brief where the front door does not reach: any lines, any chances, any text of a task."""

from hypothesis import given
from hypothesis import strategies as st

from fieldguide.project_history.change import Change
from fieldguide.project_history.history import History
from fieldguide.search.indexes.store import StoredDocument
from fieldguide.search.port import Passage, chunk_number
from fieldguide.toolsets.guide.brief.ranking.candidates import File, Found, Place, Scores
from fieldguide.toolsets.guide.brief.ranking.line_chances import lines_in
from fieldguide.toolsets.guide.brief.ranking.ranking import Ranked, RankedChunk, RankedFile, rank
from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText
from fieldguide.toolsets.guide.brief.ranking.worth import Order
from tests.proves import proves

SCORES = Scores(0.5, 0.5, 0.5, 0.5, 0.5)
CHANCES = st.floats(0.0001, 0.9)
LINES = st.lists(st.tuples(st.sampled_from(["", "x", "  return token", "}" * 30]), CHANCES), min_size=1, max_size=70)


def made(path: str, number: int, *texts: str, scores: Scores = SCORES) -> File:
    document = StoredDocument(number, 1, path, path, 400, len(texts), ())
    places: list[Place] = []
    line = 1
    for position, text in enumerate(texts):
        end = line + text.count("\n")
        places.append(Place(chunk_number(number, position), Passage(text, ("token",), line, end), scores))
        line = end + 1
    return File(path, "code", document, places=places)


class Shelf:
    """Files that are there, some of which text brings."""

    def __init__(self, brought: list[File], others: list[File]) -> None:
        self._brought, self._others = brought, {file.path: file for file in others}

    def found(self) -> Found:
        return Found({file.path: file for file in self._brought}, {"token": 3.0, "refresh": 5.0})

    def add(self, files, paths):
        files.update({path: self._others[path] for path in paths if path in self._others})

    def open(self, files):
        pass


@proves("G-3")
@given(st.lists(st.tuples(CHANCES, LINES), min_size=1, max_size=5))
def test_every_file_is_told_once_and_no_line_twice(given_files):
    files: list[RankedFile] = []
    chunks: list[RankedChunk] = []
    for number, (chance, lines) in enumerate(given_files):
        file = made(f"src/{number}.py", number, "\n".join(line for line, _ in lines))
        files.append(RankedFile(file, chance, {}, None))
        chunks.append(RankedChunk(files[-1], file.places[0], chance, [each for _, each in lines]))

    told = Order(Ranked(files, chunks)).taken()

    assert {each.file.file.path for each in told} == {each.file.path for each in files}
    shown = [(each.chunk.place.number, line) for each in told if each.chunk for line in range(each.start, each.end)]
    assert len(shown) == len(set(shown))
    assert all(
        line < len(lines_in(chunk.place)) for chunk in chunks for number, line in shown if number == chunk.place.number
    )
    assert told == Order(Ranked(files, chunks)).taken()


@proves("G-3")
def test_what_changes_with_the_likely_files_is_found_without_a_common_word():
    token = made("src/token.py", 1, "def refresh():\n    return token")
    other = made("src/store.py", 2, "def keep():\n    pass", scores=Scores(0.0, 0.0, -1.0, -1.0, 0.0))
    changes = [Change(str(number), number, "a", "s", ("src/token.py", "src/store.py")) for number in range(9)]

    ranked = rank(Shelf([token], [other]), TaskText("Refresh the token"), History(changes))

    assert [each.file.path for each in ranked.files] == ["src/token.py", "src/store.py"]
    companion = ranked.files[1].companion
    assert companion is not None
    assert companion.path == "src/token.py"


@proves("G-3")
def test_the_lines_that_say_what_the_task_says_are_shown_first():
    body = "\n".join(f"    value_{number} = {number}" for number in range(20))
    file = made("src/token.py", 1, f"def keep():\n{body}\n    refresh(token)\n{body}")

    ranked = rank(Shelf([file], []), TaskText("Refresh the token"), History())
    shown = [lines_in(each.chunk.place)[each.start : each.end] for each in Order(ranked).taken() if each.chunk]

    assert "    refresh(token)" in shown[0]


@proves("G-3")
@given(st.text(max_size=300))
def test_any_text_is_a_task(text):
    task = TaskText(text)

    assert task.subject_stems <= task.stems
    assert {name.lower() for name in task.names} == task.lowered_names
