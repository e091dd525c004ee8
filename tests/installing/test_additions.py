"""What `install` writes beside an entry (hooks, permission, section, sub-agent), and that it goes byte for byte."""

import json
import os
import subprocess

import pytest

from fieldguide.app import build_app
from fieldguide.cli.clients.additions import (
    ALL_HOOKS,
    HOOK_FORMATS,
    READING_TOOLS,
    SECTION_FILES,
    USUAL_HOOKS,
    make_section,
)
from fieldguide.settings.config import Settings
from fieldguide.text.tokens import count_exact_tokens
from tests.installing.people import Person
from tests.interop.clients import NODE
from tests.proves import proves
from tests.servers import FIELDGUIDE

SECRET = "hunter2-of-somebody-else"
JSON_FILES = (
    "",
    "{}\n",
    f'{{\n\t"env": {{\n\t\t"PASSWORD": "{SECRET}"\n\t}},\n\t"hooks": {{}},\n\t"permissions": {{"allow": []}}\n}}\n',
    '{"permissions":{"allow":["Bash(ls)"],"deny":[]},"hooks":{"PreToolUse":[{"hooks":[]}]}}',
    '{\n  // mine\n  "hooks": {\n    "UserPromptSubmit": [\n      {"hooks": [{"type": "command", "command": "x"}]},\n'
    "    ], // one\n  },\n}\n",
)
TEXT_FILES = ("", "# Mine\n", "# Mine\n\nNo line end", "\n\n")
CLIENTS = sorted({*HOOK_FORMATS, *SECTION_FILES, "zed"})


def variants(text: str) -> list[bytes]:
    """A file as other editors leave it."""
    plain = text.encode()
    return [plain, plain.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + plain]


def own_files(person: Person, client: str) -> list[str]:
    """The files that `install` would write for a client."""
    return [*dict.fromkeys(each["file"] for each in person.changes("install", "--client", client))]


@proves("Z-16")
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("number", range(5))
def test_files_of_a_client_come_back_to_the_last_byte(person, client, number):
    texts = {".json": JSON_FILES[number], ".toml": "# mine\n[a]\n\tb = 1", ".md": TEXT_FILES[number % 4]}
    paths = own_files(person, client)
    shared = [path for path in paths if not os.path.basename(path).startswith("fieldguide.")]
    for variant in range(3):
        for path in shared:
            text = texts["." + path.rsplit(".", 1)[1]]
            person.keeps(path.replace(str(person.home), "~"), variants(text)[variant])
        before = person.tree()

        assert person.installs("--client", client) == 0
        installed = person.tree()
        assert all(installed[path] != before.get(path) for path in paths)
        told = person.types("install", "--yes", "--client", client, "--refresh")
        assert told[0] == 0, told
        assert person.tree() == installed, "there is nothing to renew"
        assert person.uninstalls() == 0

        assert person.tree() == before


@proves("Z-16")
@pytest.mark.parametrize("client", CLIENTS)
def test_what_others_wrote_meanwhile_stays_and_ours_goes(person, client):
    person.installs("--client", client, "--hooks", ",".join(ALL_HOOKS))
    for path in [path for path, content in person.tree().items() if content is not None]:
        if path.endswith(".md") and "agents" not in path:
            with open(path, "a", encoding="utf-8") as file:
                file.write("\nMine.\n")
        elif path.endswith("settings.json"):
            told = json.loads(person.tree()[path])
            told["theme"] = "dark"
            with open(path, "w", encoding="utf-8") as file:
                json.dump(told, file)

    assert person.uninstalls() == 0

    left = {path: content for path, content in person.tree().items() if content is not None}
    assert not any(b"fieldguide" in content for content in left.values())
    assert all(content in (b"Mine.\n", b"\nMine.\n") for path, content in left.items() if path.endswith(".md"))
    assert all(json.loads(content) == {"theme": "dark"} for path, content in left.items() if path.endswith(".json"))


@proves("Z-16")
@pytest.mark.parametrize("client", CLIENTS)
def test_refresh_renews_what_an_older_program_wrote(person, client, monkeypatch):
    before = person.tree()
    with monkeypatch.context() as patch:
        patch.setattr("fieldguide.cli.install.find_start_words", lambda is_shared: ["/opt/old/fieldguide"])
        person.installs("--client", client, "--hooks", "prompt,session", "--user", "bob", "--without", "agent")
    assert "/opt/old" in text_of(person)

    assert person.installs("--refresh") == 0

    renewed = text_of(person)
    assert "/opt/old" not in renewed
    assert "bob" in renewed, "the flags of an entry stay"
    assert "hook after-edit" not in renewed, "no hook is added"
    assert "agents" not in "".join(person.tree()), "no part is added"
    assert person.uninstalls() == 0
    assert person.tree() == before


def text_of(person: Person) -> str:
    return "\n".join(content.decode() for content in person.tree().values() if content is not None)


@proves("Z-17")
def test_a_dry_run_writes_nothing(person):
    before = person.tree()

    code, printed, _ = person.types("install", "--client", "claude-code", "--dry-run", "--yes")

    assert (code, person.tree()) == (0, before)
    assert "hooks of Fieldguide are added to ~/.claude/settings.json" in printed


@proves("Z-17")
@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ((), ["entry", "permission", "section", "hooks", "agent"]),
        (("--without", "hooks,section"), ["entry", "permission", "agent"]),
        (("--only", "section"), ["section"]),
        (("--scope", "project"), ["entry"]),
    ],
)
def test_the_person_chooses_the_parts(person, words, parts):
    assert [each["part"] for each in person.changes("install", "--client", "claude-code", *words)] == parts


@proves("Z-17")
def test_a_part_or_hook_that_is_not_known_is_refused(person):
    for words in (("--only", "everything"), ("--without", "x"), ("--hooks", "prompt,y")):
        code, _, said = person.types("install", "--client", "claude-code", *words)
        assert (code, words[1].split(",")[-1] in said) == (2, True)


@proves("Z-17")
def test_only_one_part_is_taken_out(person):
    person.installs("--client", "claude-code")

    assert person.uninstalls("--only", "hooks") == 0

    told = json.loads(person.file("~/.claude/settings.json").read_text())
    assert (*told,) == ("permissions",)
    assert person.file("~/.claude/CLAUDE.md").exists()


@proves("Z-18")
def test_hooks_call_this_program_and_never_fail(person):
    person.installs("--client", "claude-code")

    hooks = json.loads(person.file("~/.claude/settings.json").read_text())["hooks"]
    commands = [hook["command"] for groups in hooks.values() for group in groups for hook in group["hooks"]]
    assert commands == [f"{FIELDGUIDE} hook {each} --client claude-code || true" for each in USUAL_HOOKS]


@proves("Z-18")
def test_a_hook_that_a_person_changed_is_kept_unless_forced(person):
    person.installs("--client", "claude-code")
    file = person.file("~/.claude/settings.json")
    changed = file.read_bytes().replace(b'"timeout": 10', b'"timeout": 3', 1)
    file.write_bytes(changed)

    code, printed, _ = person.types("install", "--client", "claude-code", "--yes")

    assert (code, file.read_bytes()) == (1, changed)
    assert "~/.claude/settings.json has hooks of Fieldguide in another form, which --force replaces." in printed
    assert person.installs("--client", "claude-code", "--force") == 0
    assert b'"timeout": 3' not in file.read_bytes()


@proves("Z-18")
def test_the_plugin_of_opencode_is_javascript_that_can_be_loaded(person):
    person.installs("--client", "opencode")
    plugin = person.file("~/.config/opencode/plugin/fieldguide.js")

    script = f"import({json.dumps(str(plugin))}).then(async (m) => console.log(Object.keys(await m.Fieldguide({{}}))))"
    done = subprocess.run([str(NODE), "-e", script], capture_output=True, text=True, check=True)

    assert "chat.message" in done.stdout


@proves("Z-18")
def test_permission_is_given_to_the_guides_tools_that_only_read():
    served = build_app(Settings(), write_journal=lambda lines: None).executor.registry.all()
    guide = {each.name.replace("/", "_"): each for each in served if each.name.startswith("guide_")}

    assert {name for name, tool in guide.items() if not tool.effects.writes} >= set(READING_TOOLS)
    assert "guide_record" not in READING_TOOLS


@proves("Z-18")
def test_the_section_is_short_and_says_facts():
    section = make_section(["fieldguide"])

    lines = section.splitlines()
    assert 4 <= len(lines) <= 6
    assert count_exact_tokens(make_section(["/home/ann/.local/bin/fieldguide"])) <= 120
    assert not any(word.isupper() and len(word) > 3 for word in section.split())
    assert 'fieldguide brief "' in section
    assert 'fieldguide find "' in section


@proves("Z-16")
def test_refresh_renews_the_section_of_a_project(person):
    file = person.keeps("AGENTS.md", b"# Mine\r\n")
    person.installs("--client", "zed", "--project-instructions")
    record = person.home.parent / "state" / "connections" / "record.json"
    for each in (file, record):
        each.write_bytes(each.read_bytes().replace(b"with citations", b"as of old"))

    assert person.types("install", "--refresh", "--yes", "--force")[0] == 0

    assert "with citations" in file.read_text()
    assert person.uninstalls() == 0
    assert file.read_bytes() == b"# Mine\r\n"


def diagnoses(person: Person) -> dict[str, dict[str, str]]:
    """What the doctor tells, by what it is about."""
    return {each["about"]: each for each in json.loads(person.types("doctor", "--json")[1])}


@proves("Z-19")
def test_the_doctor_tells_what_two_clients_have_before_and_after_install(person):
    for folder in (".claude", ".cursor"):
        (person.home / folder).mkdir()

    before = diagnoses(person)
    person.installs("--hooks", "prompt,session", "--without", "agent")
    tree = person.tree()
    after = diagnoses(person)

    for client in ("claude-code", "cursor"):
        assert (before[client]["verdict"], before[client]["said"]) == ("hint", "is not connected")
        assert before[client]["command"] == f"fieldguide install --client {client}"
        assert after[client]["verdict"] == "ok"
    said = "entry, permission, section, hooks (prompt, session) in force; agent missing"
    assert after["claude-code"]["said"] == said
    assert after["cursor"]["said"] == "entry, hooks (session) in force"
    assert person.tree() == tree


@proves("Z-19")
def test_the_doctor_tells_what_is_older_and_refresh_renews_it(person, monkeypatch):
    person.installs("--client", "claude-code")
    monkeypatch.setattr("fieldguide.cli.clients.catalog.find_start_words", lambda is_shared: ["/opt/new/fieldguide"])
    monkeypatch.setattr("fieldguide.cli.install.find_start_words", lambda is_shared: ["/opt/new/fieldguide"])

    older = diagnoses(person)["claude-code"]
    assert person.types("install", "--refresh", "--yes")[0] == 0
    renewed = diagnoses(person)["claude-code"]

    assert (older["verdict"], older["command"]) == ("hint", "fieldguide install --refresh")
    usual = ", ".join(USUAL_HOOKS)
    assert older["said"] == (
        f"permission, agent in force; entry, section, hooks ({usual}) older than this version writes"
    )
    assert (renewed["verdict"], "older" in renewed["said"]) == ("ok", False)


@proves("Z-19")
def test_the_doctor_tells_what_a_person_edited_and_a_lost_entry(person):
    (person.home / ".cursor").mkdir()
    person.installs("--client", "claude-code", "--client", "cursor")
    section = person.file("~/.claude/CLAUDE.md")
    section.write_text(section.read_text().replace("with citations", "as I like it"))
    person.file("~/.cursor/mcp.json").write_text("{}")

    told = diagnoses(person)

    assert "; section edited since, and left alone" in told["claude-code"]["said"]
    assert told["claude-code"]["verdict"] == "ok"
    assert told["cursor"]["said"].endswith(" in force; entry missing")
    assert told["cursor"]["command"] == "fieldguide install --client cursor"


@proves("Z-19")
def test_the_doctor_tells_of_the_section_in_the_project(person):
    file = person.keeps("AGENTS.md", b"# Mine\n")
    person.installs("--client", "zed", "--project-instructions")
    new = diagnoses(person)["AGENTS.md"]
    record = person.home.parent / "state" / "connections" / "record.json"
    for each in (file, record):
        each.write_bytes(each.read_bytes().replace(b"with citations", b"as of old"))
    old = diagnoses(person)["AGENTS.md"]

    assert (new["verdict"], new["said"]) == ("ok", "section in force")
    assert (old["verdict"], old["command"]) == ("hint", "fieldguide install --refresh")


@proves("Z-19")
def test_the_doctor_prints_no_value_of_env_or_headers(person):
    entry = {"command": "/old/fieldguide", "args": ["serve"], "env": {"T": SECRET}, "headers": {"A": SECRET}}
    person.keeps("~/.cursor/mcp.json", json.dumps({"mcpServers": {"fieldguide": entry, "b": entry}}).encode())

    code, printed, beside = person.types("doctor")

    assert "cursor: entry" in printed
    assert SECRET not in printed + beside
    assert SECRET not in json.dumps(diagnoses(person))
    assert code == 0


@proves("Z-19")
def test_the_doctor_reads_broken_settings_without_failing(person):
    person.keeps("~/.cursor/mcp.json", b"{")

    told = {each["about"]: each for each in json.loads(person.types("doctor", "--json")[1])}

    assert "can't be understood as JSON" in told["cursor"]["said"]
