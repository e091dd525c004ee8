"""The list of what is never served: names, contents, and what a person adds or excepts."""

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.secrets import EVERYBODYS, SensitiveFiles, is_secret_folder
from fieldguide.text.errors import Unreadable
from tests.hostile.live_values import certificate, private_key
from tests.projects import Project
from tests.proves import proves

# fmt: off
REFUSED = (
    ".env", ".ENV", "a/.env", ".env.local", ".env~", ".env-production", ".env_prod", ".env.bak", ".env.swp",
    ".env.example", "#.env#", ".#.env", ".envrc", ".env/x", ".e\u200bnv", ".git", ".git/config", "node_modules/a/b.js",
    "id_rsa", "keys/ID_ED25519", "id_rsa~", "id_rsa.bak", ".id_rsa.swp", "#id_rsa#", "id_ecdsa", ".ssh/config",
    ".npmrc", ".npmrc.bak", ".pypirc", ".netrc", "_netrc", ".aws/credentials", ".aws/a/b", ".kube/config", ".gnupg/x",
    ".docker/config.json", ".dockercfg", "credentials.json", "credentials.json~", ".git-credentials", ".htpasswd",
    ".pgpass", ".my.cnf", ".vault-token", ".terraform/x", "terraform.tfstate", "terraform.tfstate.backup", "a.p12",
    "prod.env", "deploy/Staging.ENV", "app.env.local", "prod.env.bak", "kubeconfig", "kubeconfig.yaml",
    "kubeconfig-prod", "kubeconfig_dev.yml", "prod.kubeconfig", "eks-kubeconfig.yaml", "secrets.yaml", "secrets.yml",
    "SECRETS.YAML", "k8s/secrets.prod.yaml", "secrets-dev.yml", "secrets.json", "secrets.toml", "secrets.yaml~",
    "values.secrets.yaml",
    "service-account.json", "service-account-prod.json", "service_account.json", "gcp-service-account-key.json",
    "client_secret_1.apps.json", "credentials-prod.json", "gcp-credentials.json", "credentials.yml", "credentials",
    "prod.tfvars", "terraform.tfvars", "x.auto.tfvars.json", ".vault_pass",
    "a.pfx", "a.jks", "a.keystore", "a.ppk", "a.kdbx", ".cargo/credentials.toml", ".config/gcloud/x",
)
SERVED = (
    ".gitignore", ".gitattributes", ".github/workflows/ci.yml", "environment.py", ".environment", ".envoy.yaml",
    "docs/dotenv.md", "key.py", "keys.md", "docker/config.json", "config.json", "credentials.py", "docs/credentials.md",
    "id_rsa.pub", "src/env.ts", ".envy", "npmrc.md", "kubeconfig/x.go", "a.keystore.md", "monkey.py",
    ".docker/notes.md", ".terraform.lock.hcl", "tfstate.md", "docs/secrets.md", "src/secrets.py", "environment.yml",
    "prod.env.example", "app.env.template", "kubeconfig.go", "kubeconfig_test.go", "docs/kubeconfig.md", "env.py",
    "secrets.tf", "secrets_test.go", "secretsmanager.json", "service-account.md", "service_account.py", "secrets/a.md",
    ".github/workflows/scan-secrets.yml", "terraform.tfvars.example", "credentials.ts", "secretserver.yaml",
    "k8s/service-account.yaml", "credentials/readme.md",
)
# fmt: on


@pytest.fixture
def folder(project):
    return ConfinedFolder(str(project.root))


def is_denied(folder, path):
    try:
        folder.read(path, limit_bytes=10)
    except Unreadable as error:
        return error.message.startswith("Permission denied")
    return False


@proves("D-24")
def test_what_is_on_the_list_is_neither_opened_nor_listed(tmp_path):
    for number, path in enumerate(REFUSED):  # each in a folder of its own: some are files here and folders there
        project = Project(tmp_path / str(number))
        project.write(path, "x")
        folder = ConfinedFolder(str(project.root))

        assert is_denied(folder, path), path
        assert list(folder.files()) == [], path
        assert EVERYBODYS.refuses(path.split("/")), path


def test_what_only_sounds_like_it_is_served(tmp_path):
    for number, path in enumerate(SERVED):
        project = Project(tmp_path / str(number))
        project.write(path, "x")
        folder = ConfinedFolder(str(project.root))

        assert folder.read(path, limit_bytes=10) == b"x", path
        assert list(folder.files()) == [path]


@pytest.mark.parametrize("name", ["server.pem", "server.key", "SERVER.PEM", "server.pem.bak", "auth.p8"])
def test_a_file_named_like_a_key_is_served_when_it_is_public(project, folder, name):
    project.write(f"public/{name}", f"# ours\n{certificate()}{certificate().replace('CERTIFICATE', 'PUBLIC KEY')}")
    for number, content in enumerate((private_key(), certificate() + private_key(), "what is this", "")):
        project.write(f"private/{number}/{name}", content)
        with pytest.raises(Unreadable, match="Permission denied"):
            folder.read(f"private/{number}/{name}", limit_bytes=10_000)

    assert folder.read(f"public/{name}", limit_bytes=10_000).startswith(b"# ours")
    assert list(folder.files()) == [f"public/{name}"]


@pytest.mark.parametrize(
    "content",
    [
        private_key(),
        f"\n\n{private_key('OPENSSH ')}",
        f"\ufeff{private_key('')}",
        f"Bag Attributes\n    friendlyName: x\nKey Attributes: <No Attributes>\n{private_key('')}",
        f"# created\n{private_key('EC ')}",
        certificate() + private_key("ENCRYPTED "),
        private_key().replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"),
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n",
    ],
)
def test_a_key_is_known_by_its_content_whatever_it_is_called(project, folder, content):
    project.write("notes.md", content)

    with pytest.raises(Unreadable, match="Permission denied"):
        folder.read("notes.md", limit_bytes=100_000)


@pytest.mark.parametrize(
    "content",
    [
        f"# How to make a key\n\n```\n{private_key()}```\n",
        certificate(),
        f"const key = `{private_key()}`\n",
    ],
)
def test_a_text_about_keys_is_served(project, folder, content):
    project.write("notes.md", content)

    assert folder.read("notes.md", limit_bytes=100_000) == content.encode()


def test_a_person_adds_to_the_list_and_excepts_from_it(project):
    rules = SensitiveFiles(deny=("internal/**", "*.draft"), excepted=(".env.example", "fixtures/certs/**"))
    folder = ConfinedFolder(str(project.root), sensitive=rules)
    served = {".env.example", "a/.env.example", "fixtures/certs/server.key", "fixtures/certs/.ssh/id_rsa", "x.md"}
    for path in (*served, ".env", "internal/a/b.md", "c.Draft", ".ssh/id_rsa", "fixtures/server.key"):
        project.write(path, private_key())
    project.write("x.md", "x")

    assert set(folder.files()) == served
    assert folder.folder("fixtures").read("certs/.ssh/id_rsa", limit_bytes=10_000) == private_key().encode()
    for path in (".env", "internal/a/b.md", "c.Draft", ".ssh/id_rsa", "fixtures/server.key"):
        with pytest.raises(Unreadable, match="Permission denied"):
            folder.read(path, limit_bytes=10_000)


@pytest.mark.parametrize(("path", "is_secret"), [("home/.ssh/docs", True), ("src/lib", False), ("", False)])
def test_a_folder_that_is_named_outright_is_secret_or_not(path, is_secret):
    assert is_secret_folder(path) is is_secret
