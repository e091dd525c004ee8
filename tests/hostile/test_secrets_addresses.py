"""Passwords and tokens in the addresses of configuration: masked by their place, by whichever way it is read."""

import json

import pytest

from fieldguide.text.secrets import MARK, mask_address_secrets_of_file, mask_secret_values_of_file
from tests.projects import Project
from tests.proves import proves
from tests.raw_client import RawClient
from tests.servers import run

PASSWORD = "orangeriver"
ADDRESSES = (
    f"https://bob:{PASSWORD}@example.org/manual.git",
    f"git+https://{PASSWORD}@example.org/manual.git#main",
    f"postgres://app:{PASSWORD}@db.internal/orchard",
    f"redis://:{PASSWORD}@cache:6379/0",
    f"amqp://bob:{PASSWORD}/x@queue/vhost",
    f"https://example.org/manifest.json?access_token={PASSWORD}&page=2",
    f"https://example.org/x?page=2&sig={PASSWORD}#top",
)
TOLD = (
    "ssh://git@example.org/x.git",
    "https://example.org/a@2x.png",
    "https://bob:${PASSWORD}@example.org",
    "http://[::1]:80/",
)
GIT = '[core]\n\tbare = false\n[remote "origin"]\n\turl = {}\n'
FILES = {
    "context.json": json.dumps({"collections": {f"c{n}": {"url": each} for n, each in enumerate(ADDRESSES)}}, indent=1),
    "fieldguide.toml": "[orchard]\n" + "".join(f'a{n} = "{each}"\n' for n, each in enumerate(ADDRESSES)),
    "deploy/orchard.yaml": "orchard:\n" + "".join(f"  - {each}\n" for each in ADDRESSES),
    ".gitmodules": GIT.format(ADDRESSES[0]).replace("remote", "submodule"),
    "deploy/repository": GIT.format(ADDRESSES[1]),
    "directive/orchard.json": json.dumps(ADDRESSES),
    "src/orchard.json": json.dumps(ADDRESSES),
    "docker-compose.yml": f"environment:\n  ORCHARD_URL: {ADDRESSES[2]}\n",
    "start.sh": f"export ORCHARD_URL={ADDRESSES[2]}\n",
}


@pytest.fixture
def configured(project: Project) -> Project:
    project.add_directive()
    for path, text in FILES.items():
        project.write(path, text)
    project.write("src/settings.py", "import os\n\nORCHARD_URL = os.environ['ORCHARD_URL']\n")
    project.write("src/orchard.js", 'import orchard from "./orchard.json";\nexport const plant = () => orchard;\n')
    project.write("docs/orchard.md", "# Orchard\n\nThe settings are in deploy/orchard.yaml.\n")
    return project


def text_of(result):
    return "\n".join(block.get("text", "") for block in result["content"])


@proves("S2-3", "D-24")
def test_no_way_of_reading_configuration_shows_a_password_in_an_address(configured):
    with RawClient(configured.root).ready() as client:
        read = {path: text_of(client.call("read_file", path=path)) for path in FILES}
        heard = [
            *read.values(),
            *(text_of(client.call("guide_open", citation=path)) for path in FILES),
            *(text_of(client.call("guide_open", citation=f"{path}#L1-L3")) for path in FILES),
            text_of(client.call("read_file", path="src/orchard.js", includeDeps=True)),
            text_of(client.call("directive/file.get", path="directive/orchard.json")),
            *(
                text_of(client.call("grep_codebase", pattern=each, limit=100))
                for each in ("bob", "example", "url", "://")
            ),
            *(text_of(client.call(tool, query="orchard settings")) for tool in ("context_search", "guide_search")),
            text_of(client.call("guide_symbol", name="ORCHARD_URL")),
            text_of(client.call("documents_list_collections")),
            text_of(client.call("documents_search", query="orchard manual", collections=["c0"])),
            text_of(client.call("guide_brief", task="Change the address of the orchard in deploy/orchard.yaml")),
        ]
        _, rest, journal = client.leave()

    assert all(MARK in text for text in read.values())
    assert json.loads(read["context.json"])["warnings"]
    assert PASSWORD not in "".join(heard) + rest.decode() + json.dumps(journal)
    kept = b"".join(each.read_bytes() for each in configured.state.rglob("*") if each.is_file())
    assert PASSWORD.encode() not in kept


def test_no_command_shows_a_password_in_an_address(configured):
    root = str(configured.root)
    told = [
        run(*words, "--project", root, code=None)
        for words in (
            ("find", "orchard"),
            ("symbol", "ORCHARD_URL"),
            ("show", "context.json"),
            ("doctor",),
            ("documents", "list"),
        )
    ]

    assert PASSWORD not in "".join(done.stdout + done.stderr for done in told)


@pytest.mark.parametrize("path", ["context.json", "fieldguide.toml", "a/values.yaml", "setup.cfg"])
def test_lines_stay_and_what_is_no_secret_is_told(path):
    text = "\n".join((*ADDRESSES, *TOLD))

    told = mask_secret_values_of_file(path, text)

    assert PASSWORD not in told
    assert told.count("\n") == text.count("\n")
    assert told.split("\n")[len(ADDRESSES) :] == list(TOLD)


def test_what_stands_in_every_example_is_told_in_the_settings_of_others():
    text = "url: postgres://postgres:postgres@db/x https://user:password@example.org"

    assert mask_address_secrets_of_file("docker-compose.yml", text) == text
    assert MARK in mask_address_secrets_of_file("fieldguide.toml", text)
    assert mask_address_secrets_of_file("src/main.py", f"'{ADDRESSES[0]}'") == f"'{ADDRESSES[0]}'"
