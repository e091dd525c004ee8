"""What the guided start counts, chooses and appends, within its bounds."""

import pytest

from fieldguide.cli.init import choose_starters, wrap_quote
from fieldguide.cli.init_questions import AnsweredQuestion, choose_answers
from fieldguide.cli.init_survey import CodeSize, CommitCount, LanguageSize, count_commits, measure_code
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.project_files import append_into
from fieldguide.text.errors import Refusal
from tests.git_projects import GitProject
from tests.proves import proves


@proves("Z-28")
def test_lines_that_could_not_be_counted_in_time_are_told(project):
    project.write("a.py", "one\ntwo")
    project.write("b.go", "")
    folder = ConfinedFolder(str(project.root))

    counted = measure_code(folder, ["a.py", "b.go", "gone.py"])
    hurried = measure_code(folder, ["a.py", "b.go"], seconds=-1.0)

    assert counted == CodeSize((LanguageSize("python", 2, 2), LanguageSize("go", 1, 0)))
    assert (sum(each.lines for each in hurried.languages), hurried.is_whole) == (0, False)


@proves("Z-28")
def test_commits_that_could_not_be_counted_in_time_are_told(tmp_path):
    project = GitProject(tmp_path)
    project.commit("One", "a.txt", date="2024-01-02T03:04:05+00:00")
    project.commit("Two", "sub/b.txt", author="Bob Builder")

    assert count_commits(str(tmp_path)) == CommitCount(2, 2, "2024-01-02")
    assert count_commits(str(tmp_path), seconds=0.0).is_whole is False


@proves("Z-28")
def test_a_folder_without_history_has_none(project):
    assert count_commits(str(project.root)) == CommitCount()


@proves("Z-26")
@pytest.mark.parametrize(("languages", "names"), [(["python"], True), (["tsx"], True), (["rust"], False), ([], False)])
def test_starters_fit_the_languages_that_they_have_rules_for(languages, names):
    assert bool(choose_starters(languages)) is names


@proves("Z-27")
def test_a_line_is_appended_as_the_file_ends_its_lines_and_through_no_link(project):
    project.write("windows", b"a\r\n")
    project.write("outside", b"mine")
    (project.root / "link").symlink_to(project.root / "outside")

    append_into(str(project.root), "windows", "/x/")
    append_into(str(project.root), "new", "/x/")
    with pytest.raises(Refusal):
        append_into(str(project.root), "link", "/x/")

    assert (project.root / "windows").read_bytes() == b"a\r\n/x/\r\n"
    assert (project.root / "new").read_bytes() == b"/x/\n"
    assert (project.root / "outside").read_bytes() == b"mine"


@proves("Z-25")
def test_three_answers_of_different_kinds_and_files_are_told():
    def answer(name, path):
        return AnsweredQuestion(name, "guide_search", {}, f"{path}#L1-L2", ("said",), 10, path)

    documents = [answer("d1", "a.md"), answer("d2", "a.md"), answer("d3", "b.md")]
    symbols = [answer("s1", "a.py"), answer("s2", "b.py")]
    changes = [answer("c1", "a.py"), answer("c2", "c.py")]

    assert [each.question for each in choose_answers([[], documents, symbols, changes])] == ["d1", "s1", "c2"]
    assert [each.question for each in choose_answers([[], documents, [], []])] == ["d1", "d3", "d2"]
    assert [each.question for each in choose_answers([[], documents[:2], symbols[:1], []])] == ["d1", "d2", "s1"]


@proves("Z-25")
def test_a_long_quote_is_broken_into_few_lines(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")

    lines = wrap_quote(["word " * 60, "code\tkept"])

    assert len(lines) == 4
    assert all(len(line) <= 55 for line in lines)
    assert lines[-1].endswith("word …")
    assert wrap_quote(["    indented\u202e"]) == ["    indented\\u202e"]
