"""What the guided start counts, chooses and appends, within its bounds."""

import pytest

from fieldguide.cli.init import choose_starters, wrap_quote
from fieldguide.cli.init_survey import CodeSize, CommitCount, LanguageSize, count_commits, measure_code
from fieldguide.files.confined_folder import ConfinedFolder
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


@proves("Z-25")
def test_a_long_quote_is_broken_into_few_lines(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")

    lines = wrap_quote(["word " * 60, "code\tkept"])

    assert len(lines) == 4
    assert all(len(line) <= 55 for line in lines)
    assert lines[-1].endswith("word …")
    assert wrap_quote(["    indented\u202e"]) == ["    indented\\u202e"]
