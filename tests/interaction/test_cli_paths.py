"""One rule for paths in all commands: from the current folder, from the project, absolute, and through links."""

import os

import pytest

from fieldguide.cli.main import main
from tests.git_projects import GitProject
from tests.shop_projects import shop_in

RULES = """---
rules:
  - {id: no-print, message: Use the log., languages: [python], forbid-call: [print]}
---
# Output
"""
COMMANDS = {
    "check": (["check", "PATH"], "shop/till.py", 1),
    "stale": (["stale", "PATH"], "docs/till.md", 1),
    "governs": (["governs", "PATH", "--wait", "--json"], "shop/orders.py", 0),
    "open": (["open", "PATH", "--json"], "shop/orders.py", 0),
    "open lines": (["open", "PATH#L4-L7", "--json"], "shop/orders.py", 0),
    "symbol": (["symbol", "cancel_order", "--path", "PATH", "--wait", "--json"], "shop/orders.py", 0),
}
OUTSIDE = {"check": 2, "stale": 2, "governs": 2, "open": 2, "symbol": 2}


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> GitProject:
    """The shop, with a file that breaks a rule and a document about a file that is gone."""
    shop = shop_in(tmp_path_factory.mktemp("paths") / "shop")
    shop.write("mcp/resources/patterns/output.md", RULES)
    shop.write("shop/till.py", "print(1)\n")
    shop.write("shop/drawer.py", "def open_drawer() -> None: ...\n")
    shop.write("docs/till.md", "# Till\n\nThe drawer is opened by shop/drawer.py:1.\n")
    shop.commit_all("Describe the till")
    (shop.root / "shop/drawer.py").unlink()
    shop.commit_all("Remove the drawer")
    (shop.root.parent / "linked").symlink_to(shop.root)
    (shop.root / "manuals").symlink_to("docs")
    (shop.root / "code").symlink_to("shop")
    return shop


@pytest.fixture
def command(shop, monkeypatch, capsys):
    """Runs a command in a folder: its exit code, and what it printed."""

    def run(folder, words, *more):
        monkeypatch.chdir(folder)
        monkeypatch.delenv("FIELDGUIDE_PROJECT", raising=False)
        capsys.readouterr()
        code = main([*words, *map(str, more)])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def with_path(words, path):
    return [word.replace("PATH", str(path)) for word in words]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_a_path_from_wherever_it_is_typed(shop, command, name):
    words, path, code = COMMANDS[name]
    expected = command(shop.root, with_path(words, path))
    folder, file = os.path.split(path)
    linked = {"docs": "manuals", "shop": "code"}[folder.partition("/")[0]] + folder.removeprefix(
        folder.partition("/")[0]
    )
    elsewhere = shop.root.parent
    ways = {
        "dotted": (shop.root, f"./{path}", ()),
        "absolute": (shop.root, shop.root / path, ()),
        "below": (shop.root / folder, file, ()),
        "below, from the project": (shop.root / folder, path, ()),
        "beside": (shop.root / "mcp", f"../{path}", ()),
        "named project": (shop.root / folder, file, ("--project", shop.root)),
        "from elsewhere": (elsewhere, shop.root / path, ("--project", shop.root)),
        "from elsewhere, from the project": (elsewhere, path, ("--project", shop.root)),
        "through a link to the project": (elsewhere, elsewhere / "linked" / path, ("--project", elsewhere / "linked")),
        "through a link in the project": (shop.root, f"{linked}/{file}", ()),
    }

    told = {way: command(place, with_path(words, typed), *more) for way, (place, typed, more) in ways.items()}

    assert expected[0] == code
    assert {way: (code, out) for way, (code, out, _) in told.items()} == dict.fromkeys(ways, expected[:2])


def test_places_are_written_so_that_they_open_from_the_current_folder(shop, command):
    words = ["open", "shop/orders.py#L4-L7"]
    places = {
        shop.root: (words, "shop/orders.py:4"),
        shop.root / "shop": (words, "orders.py:4"),
        shop.root / "docs": (words, "../shop/orders.py:4"),
        shop.root.parent: ([*words, "--project", "shop"], "shop/shop/orders.py:4"),
    }

    told = {folder: command(folder, given)[1].split("\n")[0] for folder, (given, _) in places.items()}

    assert told == {folder: place for folder, (_, place) in places.items()}


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_path_outside_of_the_project_is_refused_by_every_command(shop, command, name, tmp_path):
    (tmp_path / "other.py").write_text("print(1)\n")

    code, out, err = command(shop.root, with_path(COMMANDS[name][0], tmp_path / "other.py"))

    assert (code, out) == (OUTSIDE[name], "")
    assert f"is outside of the project {shop.root}" in err


@pytest.mark.parametrize("name", ["check", "stale"])
def test_a_path_that_is_not_there_is_refused_with_a_near_one(shop, command, name):
    code, out, err = command(shop.root / "docs", with_path(COMMANDS[name][0], "tiil.md"))

    assert (code, out) == (2, "")
    assert "There is no file or folder 'tiil.md'." in err


def test_what_is_remembered_names_its_file_as_the_project_does(shop, command):
    words = ["findings", "add", "Orders are counted from one.", "--type", "pattern", "--file", "orders.py", "--json"]
    assert command(shop.root / "shop", words)[0] == 0

    code, out, _ = command(shop.root / "shop", ["findings", "list", "--json"])

    assert code == 0
    assert '"shop/orders.py"' in out


def test_a_folder_without_a_mark_is_a_project_of_its_own(tmp_path, command):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# A\n")

    assert command(tmp_path / "docs", ["stale", "a.md"])[::2] == (0, "Nothing is out of date. Looked at: a.md.\n")
