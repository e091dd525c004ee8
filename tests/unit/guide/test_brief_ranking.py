"""The ranking of a brief where the front door does not reach: any lines, any chances, any text of a task."""

from hypothesis import given
from hypothesis import strategies as st

from fieldguide.git.history import History
from fieldguide.git.log import HistoryCommit
from fieldguide.search.indexes.document_store import StoredDocument
from fieldguide.search.types import ChunkPassage, number_chunk
from fieldguide.toolsets.guide.brief_candidates import BriefCandidates, CandidateFile, ChunkPlace, ChunkScores, TaskText
from fieldguide.toolsets.guide.brief_ranking import (
    RankedChunk,
    RankedFile,
    RankedTask,
    WorthOrder,
    rank_task,
    split_chunk_lines,
)
from tests.proves import proves

SCORES = ChunkScores(0.5, 0.5, 0.5, 0.5, 0.5)
CHANCES = st.floats(0.0001, 0.9)
LINES = st.lists(st.tuples(st.sampled_from(["", "x", "  return token", "}" * 30]), CHANCES), min_size=1, max_size=70)


def made(path: str, number: int, *texts: str, scores: ChunkScores = SCORES) -> CandidateFile:
    document = StoredDocument(number, 1, path, path, 400, len(texts), ())
    places: list[ChunkPlace] = []
    line = 1
    for position, text in enumerate(texts):
        end = line + text.count("\n")
        places.append(ChunkPlace(number_chunk(number, position), ChunkPassage(text, ("token",), line, end), scores))
        line = end + 1
    return CandidateFile(path, "code", document, places=places)


class Shelf:
    """Files that are there, some of which text brings."""

    def __init__(self, brought: list[CandidateFile], others: list[CandidateFile]) -> None:
        self._brought, self._others = brought, {file.path: file for file in others}

    def found(self) -> BriefCandidates:
        return BriefCandidates({file.path: file for file in self._brought}, {"token": 3.0, "refresh": 5.0})

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

    told = WorthOrder(RankedTask(files, chunks)).taken()

    assert {each.file.file.path for each in told} == {each.file.path for each in files}
    shown = [(each.chunk.place.number, line) for each in told if each.chunk for line in range(each.start, each.end)]
    assert len(shown) == len(set(shown))
    assert all(
        line < len(split_chunk_lines(chunk.place))
        for chunk in chunks
        for number, line in shown
        if number == chunk.place.number
    )
    assert told == WorthOrder(RankedTask(files, chunks)).taken()


@proves("G-3")
def test_what_changes_with_the_likely_files_is_found_without_a_common_word():
    token = made("src/token.py", 1, "def refresh():\n    return token")
    other = made("src/store.py", 2, "def keep():\n    pass", scores=ChunkScores(0.0, 0.0, -1.0, -1.0, 0.0))
    changes = [HistoryCommit(str(number), number, "a", "s", ("src/token.py", "src/store.py")) for number in range(9)]

    ranked = rank_task(Shelf([token], [other]), TaskText("Refresh the token"), History(changes))

    assert [each.file.path for each in ranked.files] == ["src/token.py", "src/store.py"]
    companion = ranked.files[1].companion
    assert companion is not None
    assert companion.path == "src/token.py"


@proves("G-3")
def test_the_lines_that_say_what_the_task_says_are_shown_first():
    body = "\n".join(f"    value_{number} = {number}" for number in range(20))
    file = made("src/token.py", 1, f"def keep():\n{body}\n    refresh(token)\n{body}")

    ranked = rank_task(Shelf([file], []), TaskText("Refresh the token"), History())
    shown = [
        split_chunk_lines(each.chunk.place)[each.start : each.end] for each in WorthOrder(ranked).taken() if each.chunk
    ]

    assert "    refresh(token)" in shown[0]


@proves("G-3")
@given(st.text(max_size=300))
def test_any_text_is_a_task(text):
    task = TaskText(text)

    assert task.subject_stems <= task.stems
    assert {name.lower() for name in task.names} == task.lowered_names
