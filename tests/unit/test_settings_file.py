"""One setting changed in a file of settings, and nothing else."""

import tomllib

import pytest

from fieldguide.cli.index import set_in_text, write_setting
from fieldguide.text.errors import Misconfiguration


def with_model(text, value="minilm"):
    return set_in_text(text, table="search", key="model", value=value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[search]\nmodel = "minilm"\n'),
        ('user = "ann"\n', 'user = "ann"\n\n[search]\nmodel = "minilm"\n'),
        ('user = "ann"', 'user = "ann"\n\n[search]\nmodel = "minilm"\n'),
        ("[search]", '[search]\nmodel = "minilm"\n'),
        ("# mine\n[search]  # here\n\nother = 1\n", '# mine\n[search]  # here\nmodel = "minilm"\n\nother = 1\n'),
        (
            "[a]\nmodel = 'x'\n\n[search]\nother = 1 # one\n  model   =  'old'   # why\n[b]\nmodel = 'y'\n",
            "[a]\nmodel = 'x'\n\n[search]\nother = 1 # one\n  model   =  \"minilm\"   # why\n[b]\nmodel = 'y'\n",
        ),
        ('[search]\r\nmodel = "old"\r\n', '[search]\r\nmodel = "minilm"\r\n'),
        ('search.model = "old"\n', 'search.model = "minilm"\n'),
        ('[search]\n"model" = """\nold"""\n', '[search]\n"model" = "minilm"\n'),
        ('a = """\n[search]\n"""\n', 'a = """\n[search]\n"""\n\n[search]\nmodel = "minilm"\n'),
        ('[search.more]\nx = 1\n', '[search.more]\nx = 1\n\n[search]\nmodel = "minilm"\n'),
    ],
)  # fmt: skip
def test_everything_else_stays_as_it_was(before, after):
    assert with_model(before) == after


@pytest.mark.parametrize("before", ['search = { model = "old" }\n', "[[search]]\nx = 1\n", "search = 1\n"])
def test_a_file_that_can_not_be_changed_safely_is_left_alone(before):
    assert with_model(before) is None


@pytest.mark.parametrize("value", ['a"b', "a\\b", "ä🙂", "a\nb", "\\1"])
def test_any_value_is_written_so_that_it_is_read_back(value):
    once = with_model("", value)

    assert once is not None
    assert tomllib.loads(once) == {"search": {"model": value}}
    assert with_model('[search]\nmodel = "x"\n', value) is not None


def test_a_file_keeps_its_permissions_and_leaves_no_draft(tmp_path):
    path = tmp_path / "fieldguide.toml"
    path.write_text("# mine\n")
    path.chmod(0o600)

    write_setting(str(path), table="search", key="model", value="minilm")

    assert path.read_text() == '# mine\n\n[search]\nmodel = "minilm"\n'
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["fieldguide.toml"]


def test_a_link_to_where_one_keeps_such_files_stays_a_link(tmp_path):
    elsewhere = tmp_path / "dotfiles.toml"
    elsewhere.write_text("x = 1\n")
    path = tmp_path / "config.toml"
    path.symlink_to(elsewhere)

    write_setting(str(path), table="search", key="model", value="minilm")

    assert path.is_symlink()
    assert elsewhere.read_text() == 'x = 1\n\n[search]\nmodel = "minilm"\n'


def test_a_new_file_is_for_its_owner_alone(tmp_path):
    path = tmp_path / "new" / "config.toml"

    write_setting(str(path), table="search", key="model", value="minilm")

    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_broken_file_is_left_alone(tmp_path):
    path = tmp_path / "fieldguide.toml"
    path.write_text("[search\n")

    with pytest.raises(Misconfiguration, match=r"fieldguide\.toml can't be read"):
        write_setting(str(path), table="search", key="model", value="minilm")

    assert path.read_text() == "[search\n"
