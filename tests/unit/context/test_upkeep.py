"""The index of the code while a project is served, as far as a client can't arrange it."""

import pytest

from fieldguide.app import build_app
from fieldguide.cli.main import main
from fieldguide.code.imports import graph
from fieldguide.files import listing
from fieldguide.files.listing import list_files
from fieldguide.files.parser_process import ParserProcesses
from fieldguide.files.watch import WatchedChanges
from fieldguide.search.backlog import take_prepared
from fieldguide.search.types import Scope
from fieldguide.settings.config import read_settings
from fieldguide.text.errors import ToolFailed
from fieldguide.toolsets.context.upkeep import ContextUpkeep
from tests.git_projects import GitProject
from tests.processes import eventually
from tests.proves import proves
from tests.unit.context.test_grep import script


@pytest.fixture
def app(project):
    given = {"project": str(project.root), "toolsets": ("context",)}
    return build_app(read_settings(given, {}), write_journal=lambda lines: None)


def held(app):
    """How many files of code each module holds; "" is none."""
    sources = app.engine().sources("code")
    return {each.name.partition("\n")[2]: each.documents for each in sources if each.documents}


def refresh(app):
    [toolset] = app.toolsets
    return toolset.upkeep.refresh(lambda done, total, name: None)["code"]


def test_a_file_that_is_saved_during_a_pass_is_found_too(app, project, monkeypatch):
    project.write("src/a.py", "def a(): ...\n")
    pass_once = ContextUpkeep._index

    def slow_refresh(self, progress):
        done = pass_once(self, progress)
        if not (project.root / "src" / "late.py").exists():
            project.write("src/late.py", "def late(): ...\n")
        return done

    monkeypatch.setattr(ContextUpkeep, "_index", slow_refresh)

    with app.upkeep():
        assert eventually(lambda: held(app) == {"": 2})


def test_code_moves_with_its_module_and_is_read_again_only_when_it_changed(app, project):
    for path in ("src/auth/a.py", "src/users/b.py", "main.py"):
        project.write(path, f"def of_{path.count('/')}(): ...\n")
    assert refresh(app) == {"added": 3, "updated": 0, "removed": 0, "total": 3}
    assert held(app) == {"": 3}

    project.write(".context/project.yaml", "modules: {auth: {keyFiles: [{path: src/auth/a.py, role: core}]}}\n")
    refresh(app)

    assert held(app) == {"": 2, "auth": 1}
    assert refresh(app) == {"added": 0, "updated": 0, "removed": 0, "total": 3}
    project.write("main.py", "def changed(): ...\n")
    assert refresh(app)["updated"] == 1


def test_only_code_that_may_be_read_is_indexed(app, project):
    project.write("src/a.py", "def a(): ...\n")
    project.write("README.md", "# Words\n")
    project.write(".gitignore", "ignored.py\n")
    project.write("data.json", "{}\n")
    project.write("Makefile", "all:\n\techo all\n")
    project.write("ignored.py", "x = 1\n")
    project.write("dist/b.py", "x = 1\n")
    project.write("node_modules/c.js", "x = 1\n")
    project.write("binary.py", b"\0\1\2")
    project.write("latin.py", b"# caf\xe9\nx = 1\n")
    project.write("huge.py", b"# x\n" * 300_000)

    refresh(app)

    [source] = [each for each in app.engine().sources("code") if each.documents]
    with app.engine().database.reading() as transaction:
        names = app.engine().store(transaction).names(source.id)
    assert sorted(names) == ["Makefile", "latin.py", "src/a.py"]


def test_code_is_left_out_when_the_settings_say_so(project):
    project.write("src/a.py", "def a(): ...\n")
    project.write("fieldguide.toml", "[context]\nindex_code = false\n")
    given = {"project": str(project.root), "toolsets": ("context",)}
    app = build_app(read_settings(given, {}), write_journal=lambda lines: None)

    assert refresh(app)["total"] == 0
    assert held(app) == {}


def test_after_a_change_only_what_changed_is_looked_at(app, project, monkeypatch):
    for number in range(10):
        project.write(f"src/part_{number}/code.py", f"def f{number}(): ...\n")
    project.write(".gitignore", "ignored_*.py\nout/\n")
    listed: list[tuple[object, ...]] = []

    def counted(project, *folders):
        listed.append(folders)
        return list_files(project, *folders)

    monkeypatch.setattr(listing, "list_files", counted)
    with app.upkeep():
        assert eventually(lambda: held(app) == {"": 10} and len(listed) > 1)
        listed.clear()

        project.write("src/part_3/code.py", "def changed(): ...\n")
        (project.root / "src" / "part_4" / "code.py").unlink()
        assert eventually(lambda: held(app) == {"": 9})
        known_only = listed.copy()
        project.write("src/part_3/ignored_by_git.py", "def ignored(): ...\n")
        project.write("src/part_3/new.py", "def new(): ...\n")
        assert eventually(lambda: held(app) == {"": 10})
        with_new = listed.copy()
        project.write(".gitignore", "out/\n")
        assert eventually(lambda: held(app) == {"": 11})

    assert known_only == []
    assert with_new
    assert all(given == (["src/part_3"],) for given in with_new)
    assert () in listed


def test_a_file_that_is_gone_is_followed_also_where_somebody_listed_the_files_since(app, project):
    project.write("src/a.py", "def a(): ...\n")
    project.write("src/b.py", "def b(): ...\n")
    upkeep = ContextUpkeep(made_services(app))
    upkeep.watching(is_whole=True)
    upkeep.follow(None)
    (project.root / "src" / "a.py").unlink()

    upkeep.watching(is_whole=False)  # as after a checkout that was noticed before it was seen
    assert upkeep.files.paths() == ("src/b.py",)
    upkeep.follow(WatchedChanges(frozenset({str(project.root / "src" / "a.py")})))

    assert held(app) == {"": 1}


@proves("Y-38")
def test_a_commit_that_changes_no_file_is_no_reason_to_look_at_every_file(app, project, monkeypatch):
    committed = GitProject(project.root)
    committed.commit("First", "src/a.py")
    looked: list[WatchedChanges | None] = []
    follow = ContextUpkeep.follow

    def noted(self, seen):
        looked.append(seen)
        return follow(self, seen)

    monkeypatch.setattr(ContextUpkeep, "follow", noted)

    with app.upkeep():
        assert eventually(lambda: held(app) == {"": 1})
        committed.git("commit", "-q", "--allow-empty", "-m", "Second")

        assert eventually(lambda: any(seen and str(project.root / ".git/logs/HEAD") in seen.files for seen in looked))


def made_services(app):
    """The services of the one toolset that is served."""
    [toolset] = app.toolsets
    return toolset.upkeep.services


@pytest.fixture
def indexed(app, project):
    """Two files of code, both in the index."""
    for name in ("a.py", "b.py"):
        project.write(name, f"def {name[0]}(): ...\n")
    refresh(app)
    return app


def test_a_ripgrep_that_is_killed_empties_no_index(indexed, tmp_path, monkeypatch):
    killed = script(tmp_path / "rg", "printf 'a.py\\0'", "kill -9 $$")
    monkeypatch.setattr(listing, "find_ripgrep", lambda root: killed)

    with pytest.raises(ToolFailed, match="signal 9"):
        refresh(indexed)

    assert held(indexed) == {"": 2}


def test_a_part_that_could_not_be_listed_stays_in_the_index(indexed, project, tmp_path, monkeypatch):
    project.write("a.py", "def other(): ...\n")
    partly = script(tmp_path / "rg", "printf 'a.py\\0'", "exit 2")
    monkeypatch.setattr(listing, "find_ripgrep", lambda root: partly)

    assert refresh(indexed) == {"added": 0, "updated": 1, "removed": 0, "total": 2}

    assert held(indexed) == {"": 2}


def fail_in_parser(monkeypatch):
    """The parser process tells of a bug, whichever of its functions is asked."""
    asked = ParserProcesses.ask

    def ask(self, function, *arguments, **named):
        if any("def bad" in str(each) for each in arguments):
            raise ToolFailed("A parser process failed: IndexError: list index out of range")
        return asked(self, function, *arguments, **named)

    monkeypatch.setattr(ParserProcesses, "ask", ask)


def fail_at_making(monkeypatch):
    """What the parser process answered can't be taken."""

    def take(told, count):
        if ["bad"] in [each[2] for each in told["chunks"]]:
            raise IndexError("list index out of range")
        return take_prepared(told, count)

    monkeypatch.setattr("fieldguide.toolsets.context.file_documents.take_prepared", take)


def fail_at_resolving(monkeypatch):
    """Where imports lead can't be found out."""
    resolve = graph.resolve_edges

    def resolved(path, imports, files):
        if path == "bad.py":
            raise IndexError("list index out of range")
        return resolve(path, imports, files)

    monkeypatch.setattr(graph, "resolve_edges", resolved)


@pytest.mark.parametrize("fail", [fail_in_parser, fail_at_making, fail_at_resolving])
def test_whatever_a_reader_raises_costs_one_file_and_is_told_until_that_changes(
    app, project, monkeypatch, capsys, fail
):
    for name in ("a", "bad", "c", "d"):
        project.write(f"{name}.py", f"import c\n\n\ndef {name}():\n    return 'word_of_{name}'\n")

    with monkeypatch.context() as broken:
        fail(broken)
        code = refresh(app)

        assert (code["total"], code["givenUp"]) == (4, ["bad.py"])
        assert refresh(app)["givenUp"] == ["bad.py"]

    engine = app.engine()
    scope = Scope(tuple(source.id for source in engine.sources("code")))
    assert engine.documents_with(["word_of_bad"], scope) == {"bad.py"}
    assert engine.documents_with(["word_of_c"], scope) == {"c.py"}
    assert main(["status", "--project", str(project.root), "--toolsets", "context"]) == 0
    assert "is indexed as plain text: bad.py" in capsys.readouterr().out

    project.write("bad.py", "def mended():\n    return 1\n")

    assert "givenUp" not in refresh(app)
