"""What `install` writes beside an entry (permission, section), and that it goes byte for byte."""

import json

import pytest

from fieldguide.app import build_app
from fieldguide.cli.clients.additions import READING_TOOLS
from fieldguide.settings.config import Settings
from tests.installing.people import Person

SECRET = "hunter2-of-somebody-else"
OURS = [f"mcp__fieldguide__{tool}" for tool in READING_TOOLS]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("~/.claude/settings.json", ""),
        ("~/.claude/settings.json", f'{{\r\n\t"env": {{"PASSWORD": "{SECRET}"}},\r\n\t"permissions": {{}}\r\n}}\r\n'),
        ("~/.claude/settings.json", '{"permissions":{"allow":["Bash(ls)"],"deny":[]}}'),
        (
            "~/.claude/settings.json",
            '\ufeff{\n  // mine\n  "permissions": {\n    "allow": [\n    ], // none\n  },\n}\n',
        ),
        ("~/.claude/CLAUDE.md", "# Mine\r\n\r\nNo line end"),
        ("~/.claude/CLAUDE.md", "\n\n"),
        ("~/.gemini/GEMINI.md", "\ufeff# Mine\n"),
        ("~/.codex/AGENTS.md", "# Mine\n"),
        ("~/.config/opencode/AGENTS.md", "x"),
        ("~/.copilot/copilot-instructions.md", ""),
    ],
)
def test_a_file_comes_back_to_the_last_byte(person, path, text):
    file = person.keeps(path, text.encode())
    before = person.tree()

    assert person.installs() == 0
    installed = file.read_bytes()
    assert person.installs() == 0

    assert b"fieldguide" in installed
    assert file.read_bytes() == installed, "the second time changes nothing"
    assert person.uninstalls() == 0
    assert person.tree() == before


def test_what_others_wrote_meanwhile_stays_and_ours_goes(person):
    person.installs("--client", "claude-code", "--client", "gemini")
    section = person.file("~/.claude/CLAUDE.md")
    section.write_text(section.read_text() + "\nMine.\n")
    settings = person.file("~/.claude/settings.json")
    allowed = json.loads(settings.read_text())["permissions"]["allow"]
    settings.write_text(json.dumps({"theme": "dark", "permissions": {"allow": ["Bash(ls)", *allowed]}}))

    assert person.uninstalls() == 0

    left = {path: content for path, content in person.tree().items() if content is not None}
    assert sorted(left) == [str(section), str(settings)]
    assert section.read_text() == "\nMine.\n"
    assert json.loads(settings.read_text()) == {"theme": "dark", "permissions": {"allow": ["Bash(ls)"]}}
    assert allowed == OURS


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ((), ["entry", "permission", "section"]),
        (("--only", "entry,section"), ["entry", "section"]),
        (("--scope", "project"), ["entry"]),
    ],
)
def test_the_person_chooses_the_parts(person, words, parts):
    assert [each["part"] for each in person.changes("install", "--client", "claude-code", *words)] == parts
    assert person.types("install", "--only", "everything")[0] == 2


def test_a_section_that_a_person_changed_is_kept_unless_forced(person):
    person.installs("--client", "claude-code")
    file = person.file("~/.claude/CLAUDE.md")
    changed = file.read_bytes().replace(b"with citations", b"as I like it")
    file.write_bytes(changed)

    code, printed, _ = person.types("install", "--client", "claude-code", "--yes")

    assert (code, file.read_bytes()) == (1, changed)
    assert "~/.claude/CLAUDE.md has the section for agents in another form, which --force replaces." in printed
    assert person.installs("--client", "claude-code", "--force") == 0
    assert b"with citations" in file.read_bytes()


def test_permission_is_given_to_the_guides_tools_that_only_read():
    served = build_app(Settings(), write_journal=lambda lines: None).executor.registry.all()
    guide = {each.name: each for each in served if each.name.startswith("guide_")}

    assert {name for name, tool in guide.items() if not tool.effects.writes} >= set(READING_TOOLS)


def diagnoses(person: Person) -> dict[str, dict[str, str]]:
    """What the doctor reports, by what it is about."""
    return {each["about"]: each for each in json.loads(person.types("doctor", "--json")[1])}


def test_the_doctor_says_which_clients_are_connected(person):
    for folder in (".claude", ".cursor", ".codex"):
        (person.home / folder).mkdir()
    person.keeps(".cursor/mcp.json", b"{")

    before = diagnoses(person)
    person.installs("--client", "claude-code")
    person.installs("--client", "codex", "--scope", "project")
    tree = person.tree()
    after = diagnoses(person)

    for client in ("claude-code", "codex"):
        assert (before[client]["verdict"], before[client]["said"]) == ("hint", "is not connected")
        assert before[client]["command"] == f"fieldguide install --client {client}"
        assert after[client]["verdict"] == "ok"
    assert after["claude-code"]["said"] == "is connected in ~/.claude.json"
    assert after["codex"]["said"] == "is connected in .codex/config.toml"
    assert "cursor" in after
    assert person.tree() == tree


def test_the_doctor_reads_broken_settings_and_prints_no_value_of_env_or_headers(person):
    entry = {"command": "/old/fieldguide", "args": ["serve"], "env": {"T": SECRET}, "headers": {"A": SECRET}}
    person.keeps("~/.claude.json", json.dumps({"mcpServers": {"fieldguide": entry, "b": entry}}).encode())
    person.keeps("~/.cursor/mcp.json", b"{")

    code, printed, beside = person.types("doctor")

    assert code == 0
    assert "claude-code: is connected" in printed
    assert "cursor: ~/.cursor/mcp.json can't be understood as JSON" in printed
    assert SECRET not in printed + beside + json.dumps(diagnoses(person))
