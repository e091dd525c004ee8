"""The reference pages say what the code says, and other pages what the program prints."""

from docs import generate
from docs.writers import command_line
from fieldguide.pages.home import format_instructions
from tests.docs.markdown import ROOT


def test_no_reference_page_is_stale():
    stale = generate.stale_pages(generate.REFERENCE)

    assert not stale, generate.stale_message(generate.REFERENCE, stale)


def test_a_page_that_was_changed_is_missing_or_nobody_writes_is_named(tmp_path, capsys):
    generate.write_pages(tmp_path)
    fresh = generate.main(["--check"], tmp_path)
    (tmp_path / "tools.md").write_text("changed by hand")
    (tmp_path / "errors.md").unlink()
    (tmp_path / "left-over.md").write_text("from an older release")

    code = generate.main(["--check"], tmp_path)

    assert (fresh, code) == (0, 1)
    lines = capsys.readouterr().err.splitlines()
    named = [f"{tmp_path.name}/{name}" for name in ("errors.md", "left-over.md", "tools.md")]
    assert [line.split()[0] for line in lines] == named
    assert all("`make docs`" in line for line in lines)
    assert generate.main([], tmp_path) == 0
    assert generate.main(["--check"], tmp_path) == 0


def test_every_command_and_every_action_has_its_section():
    words = command_line.command_words()
    page = generate.pages()["command-line.md"]

    assert {("serve",), ("findings",), ("findings", "add")} <= set(words)
    assert all(f"## fieldguide {' '.join(each)}\n" in page for each in words)


def test_the_http_guide_shows_the_real_greeting():
    page = (ROOT / "docs" / "guides" / "http.md").read_text(encoding="utf-8")

    link = "http://127.0.0.1:8137/?link=8kB1qK6vP3mX"
    greeting = format_instructions("http://127.0.0.1:8137/mcp", token="Zt0vYxQ2hN5rW8cJ", link=link)
    assert f"```text\n{greeting}\n```" in page
