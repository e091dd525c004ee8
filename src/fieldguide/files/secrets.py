"""Decides which files are never served: by name, and private keys by content.

Names are judged one by one, whatever their case, on the path that a file really has once links are followed. What a
name can't tell is told by the content. Only the person who runs the server can add to the list or except from it.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PEM = b"-----BEGIN "
PRIVATE = (b"PRIVATE KEY-----", b"PRIVATE KEY BLOCK-----")
KEY_FILES = (b"PuTTY-User-Key-File-", b"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY", b"AGE-SECRET-KEY-1")
BEFORE_A_KEY = (b"#", b"Bag Attributes", b"Key Attributes", b"subject", b"issuer", b" ", b"\t")
MOST_LINES_BEFORE = 40


def is_secret_content(content: bytes) -> bool:
    """Whether a file is a private key, or a store that begins with certificates and holds one."""
    start = content[:4096].removeprefix(BYTE_ORDER_MARK).lstrip()
    if not any(mark in start for mark in (PEM, *KEY_FILES)):  # nearly every file there is
        return False
    first = _first_line(start)
    if first.startswith(PEM):
        return any(mark in content for mark in PRIVATE)
    return first.startswith(KEY_FILES)


def _first_line(start: bytes) -> bytes:
    """The first line that is not a remark; files with keys may begin with some."""
    for line in start.splitlines()[:MOST_LINES_BEFORE]:
        if line.strip() and not line.startswith(BEFORE_A_KEY):
            return line
    return b""


ENVIRONMENT = ".env"
FOLDERS = frozenset((
    ".git", "node_modules", ".envrc", ".aws", ".azure", ".kube", ".ssh", ".gnupg", ".password-store", ".terraform",
    ".secrets",
))  # fmt: skip
"""A file of such a name, a folder of such a name, and everything below it."""
FILES = frozenset((
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", ".npmrc", ".pypirc", ".netrc",
    "_netrc", ".git-credentials", ".dockercfg", ".dockerconfigjson", "credentials.json", ".htpasswd", ".pgpass",
    "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".vault-token", ".terraformrc", "terraform.rc", ".boto", ".s3cfg",
    "rclone.conf", ".dev.vars", ".secrets.toml", ".secrets.json", ".secrets.yaml", ".secrets.yml", ".bash_history",
    ".zsh_history", ".psql_history", ".mysql_history", ".python_history", ".node_repl_history", ".vault_pass",
    ".vault-pass", ".vault_password", ".databrickscfg", "application_default_credentials.json",
))  # fmt: skip
ENDINGS = (
    ".p12", ".pfx", ".jks", ".keystore", ".bcfks", ".ppk", ".kdbx", ".kdb", ".keytab", ".pk8", ".agekey", ".tfstate",
    ".env", ".env.local", ".env.prod", ".env.production", ".kubeconfig", ".tfvars", ".tfvars.json",
)  # fmt: skip
BELOW = frozenset((
    (".docker", "config.json"), (".config", "gcloud"), (".config", "gh"), (".config", "rclone"),
    (".cargo", "credentials"), (".cargo", "credentials.toml"), (".gem", "credentials"), (".m2", "settings.xml"),
    (".m2", "settings-security.xml"), (".composer", "auth.json"), (".gradle", "gradle.properties"),
    (".streamlit", "secrets.toml"), (".hg", "hgrc"),
))  # fmt: skip
"""Names that are secret in a folder of another name."""
KEYS = (".pem", ".key", ".p8")
"""A file of such a name is served when it holds certificates or public keys, and no private one."""
DATA = (
    ".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf", ".config", ".properties", ".xml", ".csv", ".txt",
    ".enc",
)  # fmt: skip
"""How settings end: `secrets.yaml` is one, `secrets.py` and `docs/secrets.md` are not."""
SECRET_STEMS = ("kubeconfig", "secrets", "credentials")
"""A file of settings whose name is one of these, or goes on behind it with `.`, `-` or `_`."""
SERVICE_ACCOUNT = ("service-account", "service_account", "serviceaccount", "client_secret")
BACKUPS = (
    "~", ".bak", ".backup", ".old", ".orig", ".save", ".copy", ".tmp", ".swp", ".swo", ".swn", ".swx",
    ".rej", ".1", ".2",
)  # fmt: skip
NOT_SECRET = frozenset(("node_modules",))


class SensitiveFiles(NamedTuple):
    """The list, with what a person added to it and excepted from it: globs of paths in the project."""

    deny: tuple[str, ...] = ()
    excepted: tuple[str, ...] = ()

    def refuses(self, names: Sequence[str]) -> bool:
        """Whether a path, given name by name, is on the list: itself, or a folder that it lies in."""
        return self._lists(names, is_folder=False) and not self.excepts(names)

    def refuses_step(self, names: Sequence[str], rest: Sequence[str], *, is_folder: bool) -> bool:
        """Whether a walk that took all but the last of these names may not take it, with `rest` still to come."""
        if not self.excepted:
            return self.refuses_entry(names[:-1], names[-1], is_folder=is_folder)
        return self._lists(names, is_folder=is_folder) and not self.excepts((*names, *rest))

    def refuses_entry(self, parents: Sequence[str], name: str, *, is_folder: bool) -> bool:
        """Whether something in a folder that may be seen may not; a folder is, where something in it is excepted."""
        if self.excepted:
            return not is_folder and self.refuses((*parents, name))
        is_named = is_sensitive_name(name) if is_folder else is_sensitive_file_name(name)
        is_below = bool(parents) and _is_below(parents[-1], name)
        return is_named or is_below or self._is_in(self.deny, (*parents, name))

    def excepts(self, names: Sequence[str]) -> bool:
        """Whether a person has said that a path may be served, whatever it is."""
        return self._is_in(self.excepted, names)

    def refuses_content(self, names: Sequence[str], content: bytes) -> bool:
        """Whether a file is a secret by what stands in it."""
        is_private = PEM not in content or any(mark in content for mark in PRIVATE)
        is_refused = is_secret_content(content) or (is_key_name(names[-1]) and is_private)
        return is_refused and not self.excepts(names)

    def _lists(self, names: Sequence[str], *, is_folder: bool) -> bool:
        is_named = is_sensitive_name if is_folder else is_sensitive_file_name
        if is_named(names[-1]) or any(map(is_sensitive_name, names[:-1])) or self._is_in(self.deny, names):
            return True
        return any(_is_below(before, name) for before, name in pairwise(names))

    def _is_in(self, globs: tuple[str, ...], names: Sequence[str]) -> bool:
        if not globs:
            return False
        wanted = _matcher(globs)
        folded = [name.casefold() for name in names]
        return any(wanted("/".join(folded[:end])) for end in range(1, len(folded) + 1))


EVERYBODYS = SensitiveFiles()


@lru_cache(maxsize=16384)
def is_sensitive_name(name: str) -> bool:
    """Whether a name is on the list by itself, for a file and for a folder with all that is in it."""
    return any(each in FOLDERS or _is_environment(each) for each in _originals(_folded(name)))


@lru_cache(maxsize=16384)
def is_sensitive_file_name(name: str) -> bool:
    """Whether a name is on the list when it is that of a file."""
    if is_sensitive_name(name):
        return True
    return any(each in FILES or each.endswith(ENDINGS) or _is_secret_data(each) for each in _originals(_folded(name)))


@lru_cache(maxsize=16384)
def is_key_name(name: str) -> bool:
    """Whether a file of that name is served only if it holds public things alone."""
    return any(each.endswith(KEYS) for each in _originals(_folded(name)))


def is_secret_folder(path: str) -> bool:
    """Whether a folder that somebody names outright is secret, or lies in one that is; packages are not secret."""
    names = [name for name in path.split("/") if name]
    return any(is_sensitive_name(name) and name.casefold() not in NOT_SECRET for name in names) or any(
        _is_below(before, name) for before, name in pairwise(names)
    )


@lru_cache(maxsize=16384)
def _is_below(parent: str, name: str) -> bool:
    return (_folded(parent), _folded(name)) in BELOW


def _is_environment(name: str) -> bool:
    return name.startswith(ENVIRONMENT) and not name[len(ENVIRONMENT) : len(ENVIRONMENT) + 1].isalnum()


def _is_secret_data(name: str) -> bool:
    """Whether a file of settings says by its name that it lets somebody in."""
    if name.endswith(".json") and any(each in name for each in SERVICE_ACCOUNT):
        return True
    for stem in SECRET_STEMS:
        if name == stem:
            return True
        if name.startswith(stem) and name[len(stem)] in ".-_":
            return "." not in name or name.endswith(DATA)
        if name.endswith((f"-{stem}.json", f"_{stem}.json", f".{stem}.json", f".{stem}.yaml", f".{stem}.yml")):
            return True
    return name.endswith(("-kubeconfig", "_kubeconfig", "-kubeconfig.yaml", "-kubeconfig.yml"))


def _originals(name: str) -> tuple[str, ...]:
    """The name, and those of the files that it may be a backup or an editor's copy of."""
    if not name.startswith(("#", ".")) and not name.endswith(BACKUPS):  # nearly every name there is
        return (name,)
    found = [name]
    while original := _original(found[-1]):
        found.append(original)
    if len(found) > 1 and found[-1].startswith("."):  # `.id_rsa.swp` is what an editor keeps of `id_rsa`
        found.append(found[-1][1:])
    return tuple(found)


def _original(name: str) -> str:
    """The name of the file that one of this name is a copy of; it is shorter, and empty where this is no copy."""
    if len(name) > 2 and name[0] == name[-1] == "#":
        return name[1:-1]
    if len(name) > 2 and name.startswith(".#"):
        return name[2:]
    ending = next((each for each in BACKUPS if name.endswith(each)), "")
    return name[: -len(ending)] if ending else ""


def _folded(name: str) -> str:
    """A name whatever its case; characters that nobody sees and some file systems ignore are left out."""
    if name.isascii():
        return name.lower()
    from unicodedata import category, normalize

    visible = (each for each in normalize("NFKC", name) if category(each) not in ("Cf", "Mn"))
    return "".join(visible).casefold()


@lru_cache(maxsize=64)
def _matcher(globs: tuple[str, ...]) -> Callable[[str], bool]:
    from fieldguide.text.globs import compile_globs

    return compile_globs([each.casefold() if "/" in each else f"**/{each.casefold()}" for each in globs])
