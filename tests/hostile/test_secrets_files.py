"""A canary in every kind of secret file: no way in brings it out, whatever it is asked for by."""

import gzip
import io
import json
import os
import tarfile
from typing import Any

import pytest

from tests.hostile.live_values import certificate, private_key
from tests.projects import Project
from tests.proves import proves
from tests.raw_client import RawClient
from tests.servers import run

CANARY = "canaryword"
DENIED = {"error": "Permission denied", "details": "Access to sensitive paths denied", "tool": "read_file"}
SECRETS = (
    ".env", ".env.local", ".env~", ".env.bak", ".env-production", "#.env#", ".envrc", "packages/a/.ENV", ".npmrc",
    ".pypirc", ".netrc", "_netrc", ".aws/credentials", ".kube/config", ".docker/config.json", "credentials.json",
    ".git-credentials", "deploy/id_rsa", "deploy/id_ed25519.bak", "deploy/server.key",
    "deploy/server.pem", "deploy/store.p12", ".pgpass",
    "terraform.tfstate", ".ssh/config", ".aws/helpers.py", ".kube/tools.ts", "docs/.aws/notes.md", "docs/.env.md",
    "docs/.secrets/plan.md", "mcp/resources/patterns/node_modules/p.md", "mcp/resources/guidelines/.aws/g.md",
    "prod.env", "deploy/kubeconfig", "deploy/kubeconfig-prod.yaml", "deploy/secrets.yaml", "deploy/secrets.prod.yml",
    "deploy/service-account.json", "deploy/gcp-credentials.json", "deploy/prod.tfvars", "docs/secrets.yml",
    "directive/.env", "directive/.npmrc", "directive/templates/.aws/t.md",
)  # fmt: skip
BY_CONTENT = (
    "docs/key.md",
    "mcp/resources/patterns/key.md",
    "directive/key.md",
)
LINKED = (
    "notes.txt", "docs/linked.md", "src/linked.py", "mcp/resources/patterns/linked.md", "mcp/prompts/linked.yaml",
    "directive/linked.md", "directive/templates/spec_template.md", "guide/linked.md",
)  # fmt: skip
TEXT = f"# {CANARY}\n\nconst {CANARY} = 1; import {CANARY}\n"


@pytest.fixture
def hostile(project: Project) -> Project:
    """A project with a canary wherever a secret may lie."""
    project.add_directive()
    for path in SECRETS:
        project.write(path, TEXT)
    for path in BY_CONTENT:
        project.write(path, _secret_content())
    for path in ("guide/.env", "guide/.aws/credentials"):
        project.write(path, TEXT)
    for path in LINKED:
        _linked(project, path)
    project.write("docs/ferns.md", "# Ferns\n\nFerns like shade.\n")
    project.write("src/main.py", "import linked\n\n\ndef main():\n    return linked\n")
    project.write("src/main.ts", "import a from '../.kube/tools';\nimport b from '../.env';\nexport const x = 1;\n")
    project.write("guide/manifest.json", json.dumps(_manifest()))
    project.write("guide/plain.md", "# Plain\n")
    project.write("packed.tar.gz", _bundle())
    collections = {
        "docs": "docs", "aws": ".aws", "kube": "docs/.aws", "guide": "guide/manifest.json", "packed": "packed.tar.gz",
    }  # fmt: skip
    listed = {alias: {"url": url} for alias, url in collections.items()}
    project.write("context.json", json.dumps({"collections": listed}))
    return project


def _secret_content() -> str:
    return private_key().replace("-----\n", f"-----\nComment: {CANARY}\n", 1)


def _linked(project: Project, path: str) -> None:
    target = project.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    target.symlink_to(os.path.relpath(project.root / ".env", target.parent))


def _manifest() -> dict[str, Any]:
    files = ["plain.md", "linked.md", ".env", ".aws/credentials"]
    return {"name": "guide", "version": "1.0.0", "sources": {"files": files}}


def _bundle() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ("plain.md", ".env.md", ".aws/notes.md", "node_modules/a.md", "key.md"):
            content = (
                private_key() + TEXT if name == "key.md" else "# Plain\n" if name == "plain.md" else TEXT
            ).encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue())


class Listener:
    """A client that keeps every byte it was told."""

    def __init__(self, client: RawClient) -> None:
        self.client = client
        self.heard: list[str] = []

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask, and keep the answer without what it repeats of the question."""
        answer = self.client.request(method, **params)
        self.heard.append(json.dumps(answer).replace(json.dumps(params)[1:-1], ""))
        result: dict[str, Any] = answer.get("result", {})
        return result

    def call(self, tool: str, **arguments: Any) -> str:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        return "\n".join(block.get("text", "") for block in result["content"])


@proves("D-24", "S3-35", "S3-38")
def test_no_tool_resource_prompt_or_completion_tells_a_secret(hostile):
    with RawClient(hostile.root).ready() as client:
        listener = Listener(client)
        answers = _ask_for_everything(listener, [*SECRETS, *BY_CONTENT, *LINKED])
        _, rest, journal = client.leave()

    told = "".join(listener.heard) + rest.decode() + json.dumps(journal)
    assert answers["ferns"]
    assert CANARY not in told
    assert private_key().splitlines()[1] not in told
    for path in (*SECRETS, *BY_CONTENT, *LINKED):
        assert json.loads(answers[path]) == {**DENIED, "path": path}, path


def _ask_for_everything(listener: Listener, paths: list[str]) -> dict[str, str]:
    answers = {path: listener.call("read_file", path=path) for path in paths}
    answers["ferns"] = listener.call("documents_get_document", collection="docs", document="ferns.md")
    for path in ("src/main.py", "src/main.ts"):
        listener.call("read_file", path=path, includeDeps=True)
    for pattern in ("canary", "const", "PRIVATE", "."):
        for file_pattern in (None, "*", "**/.env*", "**/*.md", "!nothing", "*.json"):
            wanted = {} if file_pattern is None else {"filePattern": file_pattern}
            listener.call("grep_codebase", pattern=pattern, limit=100, **wanted)
        for path in ("", ".aws", ".env", "docs"):
            listener.call("guide_search", pattern=pattern, path=path, limit=50)
    listener.call("documents_list_collections")
    for collection in ("docs", "aws", "kube", "guide", "packed"):
        listener.call("documents_list_documents", collection=collection)
        for name in (".env.md", ".aws/notes.md", "linked.md", "key.md", "notes.md", ".env", "../.npmrc", "credentials"):
            listener.call("documents_get_document", collection=collection, document=name)
    for tool in ("documents_search", "context_search", "search-architecture"):
        listener.call(tool, query="word of the canary")
    listener.call("directive/files.list")
    for path in ("directive/.env", "directive/.npmrc", "directive/key.md", "directive/linked.md"):
        listener.call("directive/file.get", path=path)
    listener.call("directive/spec.template")
    for path in (".env", ".aws/credentials", "notes.txt", "docs/key.md"):
        listener.call("guide_record", type="rule", content="Never lie", evidence={"files": [path]})
    _ask_for_offers(listener)
    return answers


def _ask_for_offers(listener: Listener) -> None:
    resources = listener.ask("resources/list").get("resources", [])
    listener.ask("resources/templates/list")
    invented = ("patterns://linked", "patterns://key", "patterns://node_modules/p", "guidelines://.aws/g")
    for uri in (
        *(each["uri"] for each in resources),
        *(f"architecture://{each.replace('://', '/')}" for each in invented),
    ):
        listener.ask("resources/read", uri=uri)
    for prompt in listener.ask("prompts/list").get("prompts", []):
        given = {each["name"]: "linked" for each in prompt.get("arguments", ())}
        listener.ask("prompts/get", name=prompt["name"], arguments=given)
        for argument in given:
            reference = {"type": "ref/prompt", "name": prompt["name"]}
            listener.ask("completion/complete", ref=reference, argument={"name": argument, "value": ""})


def test_no_command_tells_a_secret(hostile, tmp_path):
    hostile.write("mcp/resources/patterns/rule.md", "---\nrules:\n  - forbid: canaryword\n---\n# Rule\n")
    hostile.write("src/secret.py", f"{CANARY} = 1\n")
    (hostile.root / ".git").mkdir()
    for path in ("more/.env.md", "more/.aws/x.md"):
        hostile.write(path, TEXT)
    hostile.write("more/ferns.md", "# Ferns\n")
    root = str(hostile.root)
    told = []
    for words in (
        ("index", "--project", root),
        ("status", "--project", root),
        ("find", "word of the canary", "--kind", "documents", "--project", root),
        ("check", "--project", root, f"{root}/.env", f"{root}/src"),
    ):
        done = run(*words, code=None)
        told.append(done.stdout + done.stderr)

    assert private_key().splitlines()[1] not in "".join(told)
    assert CANARY not in "".join(told).replace("src/secret.py", "")


def test_certificates_and_what_only_sounds_like_a_secret_are_served(project):
    served = (
        "certs/ca.pem", "certs/ca.key", ".gitignore", ".github/x.yml", "docs/dotenv.md", "key.py", "environment.py",
    )  # fmt: skip
    for path in served:
        project.write(path, certificate() if path.startswith("certs") else "plain\n")
    with RawClient(project.root, "--toolsets", "context").ready() as client:
        listener = Listener(client)

        texts = [listener.call("read_file", path=path) for path in served]
        found = json.loads(listener.call("grep_codebase", pattern="BEGIN CERTIFICATE"))

    assert all("file" in json.loads(text) for text in texts)
    assert [match["file"] for match in found["matches"]] == ["certs/ca.key", "certs/ca.pem"]


def test_the_person_and_no_project_adds_to_the_list_and_excepts_from_it(project, tmp_path):
    project.write(".env.example", "NAME=value\n")
    project.write("docs/plans.md", "# Plans\n")
    project.write("fieldguide.toml", '[secrets]\nexcept = ["**"]\n')
    own = tmp_path / "config" / "fieldguide"
    own.mkdir(parents=True)

    def read(path):
        with RawClient(project.root, extra_environment={"XDG_CONFIG_HOME": str(own.parent)}) as client:
            return client.call("read_file", path=path).get("isError", False)

    before = read(".env.example"), read("docs/plans.md")
    (own / "config.toml").write_text('[secrets]\nexcept = [".env.example"]\ndeny = ["docs/plans.md"]\n')
    after = read(".env.example"), read("docs/plans.md")

    assert (before, after) == ((True, False), (False, True))
