"""The ranking and the map of a brief where the front door does not reach: any chances, any text, any definitions."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.git.history import History
from fieldguide.git.log import HistoryCommit
from fieldguide.search.indexes.document_store import StoredDocument
from fieldguide.search.types import ChunkPassage, number_chunk
from fieldguide.toolsets.guide.brief_candidates import (
    LONGEST,
    CandidateFile,
    CandidateSearch,
    ChunkPlace,
    TaskText,
    WeighedTask,
    count_import_lines,
    split_definitions,
)
from fieldguide.toolsets.guide.brief_map import (
    LEAST_SURE,
    LIKELY,
    MOST_IN_CORE,
    MOST_NAMED,
    MOST_OF_FILE,
    MOST_OF_SHORT,
    WEAK,
    Occurrences,
    classify_chance,
    describe_occurrences,
    describe_recent,
    find_fragments,
    find_telling_lines,
    find_test,
    list_companions,
    name_search_words,
    plan_map,
    plan_texts,
)
from fieldguide.toolsets.guide.brief_ranking import (
    RankedDefinition,
    RankedFile,
    RankedTask,
    rank_task,
    score_path,
)
from fieldguide.toolsets.guide.items import ProjectLines
from tests.proves import proves

SCORES = (0.5, 0.5, 0.5)  # words, likeness and both
CHANCES = st.floats(0.0001, 0.9)
BODIES = st.sampled_from(["def a():\n    return token", "import os", "import os\n\n\nclass B:\n    x = 1", "}\n" * 70])
HEADINGS = st.sampled_from([(), ("a",), ("B", "a")])
PARTS = st.lists(st.tuples(BODIES, HEADINGS, CHANCES), min_size=1, max_size=9)
TASK = TaskText("Refresh the token")
WEIGHED = WeighedTask(TASK, {"token": 3.0, "refresh": 5.0})


def made(
    path: str,
    number: int,
    *texts: str,
    scores: tuple[float, float, float] = SCORES,
    headings: tuple[str, ...] = ("token",),
):
    return assembled(path, number, [(text, headings) for text in texts], scores)


def assembled(
    path: str, number: int, parts: Sequence[tuple[str, tuple[str, ...]]], scores: tuple[float, float, float] = SCORES
) -> CandidateFile:
    document = StoredDocument(number, 1, path, path, 400, len(parts), ())
    places: list[ChunkPlace] = []
    line = 1
    for position, (text, headings) in enumerate(parts):
        end = line + text.count("\n")
        places.append(ChunkPlace(number_chunk(number, position), ChunkPassage(text, headings, line, end), *scores))
        line = end + 1
    return CandidateFile(path, "code", document, places=places)


class Shelf(CandidateSearch):
    """Files that are there, some of which text brings."""

    def __init__(self, brought: list[CandidateFile], others: list[CandidateFile]) -> None:
        self._brought, self._others = brought, {file.path: file for file in others}

    def found(self):
        return {file.path: file for file in self._brought}, {"token": 3.0, "refresh": 5.0}

    def add(self, files, paths):
        files.update({path: self._others[path] for path in paths if path in self._others})

    def open(self, files):
        pass


@proves("G-65", "G-66")
@given(st.lists(st.tuples(CHANCES, PARTS), min_size=1, max_size=15))
def test_a_map_has_few_files_and_definitions_and_shows_no_line_twice(given_files):
    files: list[RankedFile] = []
    definitions: list[RankedDefinition] = []
    for number, (chance, parts) in enumerate(given_files):
        file = assembled(f"src/{number}.py", number, [(text, headings) for text, headings, _ in parts])
        files.append(RankedFile(file, chance, {"text": 1.0}, None))
        definitions += [RankedDefinition(files[-1], each, parts[0][2]) for each in split_definitions(file)]
    definitions.sort(key=lambda each: -each.chance)

    plan = plan_map(RankedTask(files, definitions, WEIGHED), {}, History())

    by_path: dict[str, list[str]] = {}
    for step in plan.steps:
        if not step.is_shown:
            by_path.setdefault(step.path, []).append(step.symbol)
    assert len(by_path) == min(len(files), MOST_NAMED)
    for symbols in by_path.values():
        assert len(symbols) <= max(MOST_OF_FILE.values())
        assert "imports" not in symbols or set(symbols) == {"imports"}
    texts = [step for step in plan.steps if step.is_shown]
    shown = [(step.path, line) for step in texts for line in range(step.start, step.end + 1)]
    assert len(shown) == len(set(shown))
    assert plan == plan_map(RankedTask(files, definitions, WEIGHED), {}, History())
    core = Counter(step.path for step in plan.core if not step.is_shown)
    weak = {file.file.path for file in files if classify_chance(file.chance) == WEAK}
    assert core.total() <= MOST_IN_CORE
    assert all(count <= MOST_OF_SHORT[WEAK if path in weak else LIKELY] for path, count in core.items())
    assert core.total() == MOST_IN_CORE or core.keys() == by_path.keys()
    sure = {(each.file.file.path, each.definition.start) for each in definitions if each.chance >= LEAST_SURE}
    assert {(step.path, step.start) for step in plan.core if step.is_shown} <= sure


@proves("G-65")
def test_a_definition_that_the_task_writes_with_its_class_comes_first():
    parts = [(f"def {name}():\n    return token", ("Client", name)) for name in ("get", "put", "send", "close")]
    looking = Shelf([assembled("src/client.py", 1, parts)], [])

    ranked = rank_task(looking, TaskText("Client.send should wait for the token, put and get too"), History(), {})

    assert ranked.definitions[0].definition.headings == ("Client", "send")


@proves("G-65")
def test_the_file_that_defines_what_the_task_writes_with_its_package_is_named_first():
    config = [("type Config struct {}", ("Config",)), ("func New() {}", ("New",))]
    driver, worker = assembled("storage/driver/module.go", 1, config), assembled("worker/module.go", 2, config)
    task = TaskText("Let driver.Config refresh the token of worker")

    ranked = rank_task(Shelf([worker], [driver]), task, History(), {}, {"storage/driver/module.go"})

    assert [each.file.path for each in ranked.files] == ["storage/driver/module.go", "worker/module.go"]
    first = ranked.definitions[0]
    assert (first.file.file.path, first.definition.headings) == ("storage/driver/module.go", ("Config",))
    assert task.qualified == {"driver.Config"}


@proves("G-66")
def test_a_definition_in_several_chunks_is_whole_again_and_a_long_one_is_in_parts():
    part = "\n".join(["    step()"] * 50)
    file = made("src/token.py", 1, f"import os\n\ndef refresh():\n{part}", part, part, headings=("refresh",))

    imports, first, second = split_definitions(file)

    assert (imports.start, imports.end, imports.is_import) == (1, 1, True)
    assert (first.start, first.headings) == (3, ("refresh",))
    assert first.end - first.start < LONGEST
    assert (second.start, second.headings) == (first.end + 1, ("refresh",))


@proves("G-150")
def test_a_definition_keeps_the_blank_lines_between_its_chunks():
    file = made("src/a.py", 1, "def token():\n    first()", "    second()\n    third()")
    last = file.places[1]
    moved = last.passage._replace(start_line=5, end_line=6)
    file.places[1] = last._replace(passage=moved)

    [definition] = split_definitions(file)

    assert (definition.start, definition.end) == (1, 6)
    assert definition.text.split("\n")[3:] == ["", "    second()", "    third()"]


@pytest.mark.parametrize("closing", ["}", "  end", "});", "#endif  /* HAS_TOKEN */", "}\n"])
def test_a_definition_begins_below_what_closes_another(closing):
    file = made("src/token.c", 1, f"{closing}\nint refresh(void) {{\n}}", "}\n  return 1;", headings=("refresh",))

    [definition] = split_definitions(file)

    assert definition.start == closing.count("\n") + 2
    assert definition.text.split("\n") == ["int refresh(void) {", "}", "}", "  return 1;"]
    assert definition.end - definition.start + 1 == 4


@proves("G-65")
def test_imports_are_told_from_the_definition_below_them():
    head = ['"""What it is.', "", "And more.", '"""', "", "# why", "from a import (", "    b,", ")", "import c"]

    assert count_import_lines([*head, "", "def d():", "    import e"]) == len(head)
    assert count_import_lines(['"""One line."""', "x = 1", "import c"]) == 0
    assert count_import_lines(["<?php", "", "/* A licence", " */", "namespace A\\B;", "", "class C {}"]) == 5
    assert count_import_lines(["namespace A {", "class C {}"]) == 0
    assert count_import_lines(["const a = require('a')", "use b;", "b()"]) == 2


@proves("G-65")
def test_a_path_or_folder_that_the_task_writes_comes_first():
    task = TaskText("Fix src/fields/rake.py and everything in docs/")

    assert task.paths == {"src/fields/rake.py", "docs"}
    assert score_path("src/fields/rake.py", task) > score_path("docs/rake.md", task) > 0.0
    assert score_path("src/fields/hoe.py", task) == 0.0


@proves("G-66")
def test_nothing_is_left_out_between_two_parts_of_a_function():
    part = "\n".join(["    step()"] * 100)
    file = made("src/token.py", 1, part, part, part, headings=("refresh",))
    ranked = RankedFile(file, 0.5, {}, None)
    chances = (0.9, 0.001, 0.8)
    definitions = [
        RankedDefinition(ranked, each, chance) for each, chance in zip(split_definitions(file), chances, strict=True)
    ]

    shown = plan_texts(sorted(definitions, key=lambda each: -each.chance))

    assert [each.definition.start for _, each in shown] == [1, 101, 201]


@proves("G-66")
def test_a_long_definition_is_named_once_and_its_text_is_in_parts():
    head = "def refresh():\n" + "\n".join(["    step()"] * 99)
    body = "\n".join(["    step()"] * 100)
    other = "def refresh(again):\n" + "\n".join(["    step()"] * 99)
    ranked = RankedFile(made("src/token.py", 1, head, body, other, headings=("refresh",)), 0.5, {}, None)
    definitions = [RankedDefinition(ranked, each, 0.2) for each in split_definitions(ranked.file)]

    plan = plan_map(RankedTask([ranked], definitions, WEIGHED), {}, History())

    assert [(step.start, step.end) for step in plan.steps if not step.is_shown] == [(1, 200), (201, 300)]
    assert sorted((step.start, step.end) for step in plan.steps if step.is_shown) == [(1, 100), (101, 200), (201, 300)]


@proves("G-66")
def test_a_large_answer_has_texts_before_more_names():
    texts = [(f"def part_{number}():\n    return token", (f"part_{number}",)) for number in range(4)]
    files = [RankedFile(assembled(f"src/{number}.py", number, texts), 0.4, {}, None) for number in range(2)]
    definitions = [RankedDefinition(file, each, 0.3) for file in files for each in split_definitions(file.file)]
    ranked = RankedTask(files, definitions, WEIGHED)

    small, large = (plan_map(ranked, {}, History(), is_large=is_large).steps for is_large in (False, True))

    assert [step.is_shown for step in small] == [False] * 8 + [True] * 8
    assert [step.is_shown for step in large] == [False] * 2 + [True] * 8 + [False] * 6
    assert set(small) == set(large)


@proves("G-3")
def test_what_changes_with_the_likely_files_is_found_without_a_common_word():
    token = made("src/token.py", 1, "def refresh():\n    return token")
    other = made("src/store.py", 2, "def keep():\n    pass", scores=(0.0, -1.0, 0.0))
    changes = [HistoryCommit(str(number), number, "a", "s", ("src/token.py", "src/store.py")) for number in range(9)]

    ranked = rank_task(Shelf([token], [other]), TaskText("Refresh the token"), History(changes), {})

    assert [each.file.path for each in ranked.files] == ["src/token.py", "src/store.py"]
    companion = ranked.files[1].companion
    assert companion is not None
    assert companion.path == "src/token.py"


@proves("G-66")
def test_definitions_are_ranked_by_what_they_do():
    body = "\n".join(f"    value_{number} = {number}" for number in range(20))
    parts = [
        ("LIMIT = 1\nSIZE = 2\nPLACE = 3", ("LIMIT",)),
        ("def a():\n" + body, ("a",)),
        (f"def b():\n{body}\n    refresh(token)", ("b",)),
        ("def c():\n" + body, ("c",)),
    ]

    file = assembled("src/keep.py", 1, parts, (0.1, 0.1, 0.1))
    file.places[2] = file.places[2]._replace(words=0.5, likeness=0.5, text=0.5)  # the words of its body

    ranked = rank_task(Shelf([file], []), TASK, History(), {})

    functions = [each.definition for each in ranked.definitions if each.definition.headings != ("LIMIT",)]
    assert functions[0].headings == ("b",)
    assert find_telling_lines(functions[0], ranked.weighed) == [46]


@proves("G-65")
def test_the_test_of_a_file_has_its_name_or_changes_with_it():
    changes = [HistoryCommit(str(number), number, "a", "s", ("src/a.py", "tests/test_all.py")) for number in range(9)]

    assert find_test("src/a.py", ["tests/test_b.py", "tests/test_a.py"], History(changes)) == "tests/test_a.py"
    assert find_test("src/a.py", [], History(changes)) == "tests/test_all.py"
    assert find_test("src/b.py", [], History(changes)) == ""
    assert find_test("src/a.rs", ["tests/test_a.py"], History(changes)) == ""
    assert find_test("src/a.ts", ["tests/a.test.tsx"], History(changes)) == "tests/a.test.tsx"


@proves("G-67")
def test_a_chance_is_told_in_three_classes():
    assert classify_chance(0.9) == LIKELY
    assert classify_chance(0.001) == WEAK
    assert len({classify_chance(number / 100) for number in range(100)}) == 3


@proves("G-68")
def test_every_line_of_a_quoted_fragment_is_told_or_how_many_there_are(project):
    project.write("a.py", "x = reckon()\nreckoning = 1\ny = reckon()\n")
    lines = ProjectLines(ConfinedFolder(project.root))
    few = Occurrences("reckon", {"a.py": lines.find("a.py", "reckon")}, 0)
    many = Occurrences("reckon", {f"src/some/folder/{number}.py": [1, 2] for number in range(40)}, 0)

    assert find_fragments(TaskText("Let `reckon` take --currency and all")) == ["reckon", "--currency"]
    assert [*describe_occurrences([few, Occurrences("--currency", {}, 0)], 1000)] == [
        "`reckon` 2 times in 1 file, all: a.py:1,3",
        "Nowhere in the project: `--currency`",
    ]
    within = few._replace(enclosing={("a.py", 1): "1-2 total", ("a.py", 3): "3-3 rest"})
    assert [*describe_occurrences([within], 1000)] == [
        "`reckon` 2 times in 1 file, all: a.py:1 in 1-2 total, 3 in 3-3 rest"
    ]
    [told] = describe_occurrences([many], 500)
    first = "src/some/folder/0.py (2), src/some/folder/1.py (2), src/some/folder/10.py (2)"
    assert told == f"`reckon` 80 times in 40 files, most in {first}; all by definition: guide_search with this pattern"
    assert [*describe_occurrences([many._replace(fragment="reckon(x)")], 500)] == [
        f"`reckon(x)` 80 times in 40 files, most in {first}"
    ]


@proves("G-68")
def test_a_sweep_outside_of_the_index_has_bounds_and_counts_what_it_left_out(project):
    for number in range(26):
        project.write(f"data/{number:02}.lr", f"{'x' * (1 << 20)}\nreckon\n")
    project.write("data/all.lr", "reckon\n" * 12_000)

    found, unread = ProjectLines(ConfinedFolder(project.root)).sweep(set(), ["reckon"])

    assert (found["reckon"]["data/00.lr"], len(found["reckon"]["data/all.lr"])) == ([2], 10_000)
    assert (len(found["reckon"]), unread) == (24, 3)


@proves("G-69")
def test_what_usually_changes_too_is_told_with_the_place_to_insert(project):
    project.write("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n- One thing.\n")
    lines = ProjectLines(ConfinedFolder(project.root))
    changes = [HistoryCommit(str(number), number, "a", "s", ("src/a.py", "CHANGELOG.md")) for number in range(9)]

    told = list_companions(["src/a.py"], History(changes), lines)

    assert told == {"CHANGELOG.md": "CHANGELOG.md (9 of 9 commits of a.py, insert at line 5)"}
    assert list_companions(["src/a.py", "CHANGELOG.md"], History(changes), lines) == {}


@proves("G-69")
def test_files_of_code_that_changed_last_are_told_without_those_of_the_map():
    changes = [HistoryCommit(str(n), n, "a", "s", (f"src/{n}.py", f"tests/test_{n}.py")) for n in range(9)]

    assert describe_recent(["src/0.py"], History(changes)) == (
        "Changed last: src/1.py, src/2.py, src/3.py, src/4.py, src/5.py, src/6.py"
    )
    assert describe_recent([], History()) == ""


@proves("G-67")
def test_the_rarest_words_of_a_task_are_worth_searching():
    assert name_search_words({"token": 3.0, "refresh": 5.0}, TaskText("Refresh the tokens")) == ["refresh", "tokens"]


@proves("G-3")
@given(st.text(max_size=300))
def test_any_text_is_a_task(text):
    task = TaskText(text)

    assert task.subject_stems <= task.stems
    assert all(name in text for name in task.names)


def test_a_definition_whose_earlier_commit_says_the_same_comes_first():
    """Both definitions have the same text; only the past tells them apart."""
    body = "\n".join(f"    step_{number}()" for number in range(6))
    parts = [(f"def {name}():\n{body}", (name,)) for name in ("first", "second")]
    file = assembled("src/token.py", 1, parts)
    hunks = {"src/token.py": [(10, 1, 10, 1)]}
    changes = [
        HistoryCommit("1", 1, "a", "Tidy up", ("src/token.py",), hunks={"src/token.py": [(3, 1, 3, 1)]}),
        HistoryCommit("2", 1, "a", "Refresh a token that has expired", ("src/token.py",), hunks=hunks),
    ]

    definitions = rank_task(Shelf([file], []), TASK, History(changes), {}).definitions

    assert [each.definition.headings for each in definitions] == [("second",), ("first",)]
