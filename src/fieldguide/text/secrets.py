"""Finds and masks values in text that look like live keys, tokens and passwords.

Every pattern is for RE2, so it takes linear time. One pass over the text finds nothing in nearly every text. A value
that is plainly made up, such as `AKIAIOSFODNN7EXAMPLE`, does not count.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any, NamedTuple, cast


class SecretShape(NamedTuple):
    """A kind of value: its name, how such values begin, and the pattern of the rest."""

    kind: str
    prefixes: tuple[str, ...]
    rest: str


# fmt: off
SECRET_SHAPES = (
    SecretShape("AWS access key", ("AKIA", "ASIA"), r"[A-Z2-7]{16}\b"),
    SecretShape(
        "AWS secret key",
        ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "SecretAccessKey", "secretAccessKey"),
        r"[\"']?\s{0,4}[:=]\s{0,4}[\"']?[A-Za-z0-9/+]{40}\b",
    ),
    SecretShape("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"[A-Za-z0-9]{36,}\b"),
    SecretShape("GitHub token", ("github_pat_",), r"[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b"),
    SecretShape("Fieldguide token", ("fgt_",), r"[0-9a-z]{12}_[A-Za-z0-9]{46}\b"),
    SecretShape(
        "GitLab token",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "gloas-", "glsoat-", "glimt-", "glagent-"),
        r"[A-Za-z0-9_-]{20,}",
    ),
    SecretShape(
        "Slack token",
        ("xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
        r"[A-Za-z0-9-]{20,}",
    ),
    SecretShape("Stripe key", ("sk_live_", "rk_live_"), r"[A-Za-z0-9]{16,}\b"),
    SecretShape("Google API key", ("AIza",), r"[A-Za-z0-9_-]{35}\b"),
    SecretShape("Google token", ("ya29.", "GOCSPX-"), r"[A-Za-z0-9_-]{28,}"),
    SecretShape("npm token", ("npm_",), r"[A-Za-z0-9]{36}\b"),
    SecretShape("PyPI token", ("pypi-AgE",), r"[A-Za-z0-9_-]{50,}"),
    SecretShape("Anthropic key", ("sk-ant-",), r"[A-Za-z0-9_-]{24,}"),
    SecretShape("OpenAI key", ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"), r"[A-Za-z0-9_-]{20,}"),
    SecretShape("OpenAI key", ("sk-",), r"[A-Za-z0-9]{32,64}\b"),
    SecretShape("Hugging Face token", ("hf_",), r"[A-Za-z0-9]{34}\b"),
    SecretShape("SendGrid key", ("SG.",), r"[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}\b"),
    SecretShape("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"[a-f0-9]{64}\b"),
    SecretShape("Databricks token", ("dapi",), r"[a-f0-9]{32}(?:-[0-9])?\b"),
    SecretShape("Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"[a-fA-F0-9]{32}\b"),
    SecretShape("Square token", ("sq0atp-", "sq0csp-"), r"[A-Za-z0-9_-]{22,43}"),
    SecretShape("Docker token", ("dckr_pat_", "dckr_oat_"), r"[A-Za-z0-9_-]{27,32}\b"),
    SecretShape("Vault token", ("hvs.", "hvb."), r"[A-Za-z0-9_-]{24,}"),
    SecretShape("Grafana token", ("glsa_",), r"[A-Za-z0-9]{32}_[a-f0-9]{8}\b"),
    SecretShape("Azure key", ("AccountKey=", "SharedAccessKey="), r"[A-Za-z0-9+/]{43,86}={1,2}"),
    SecretShape("age key", ("AGE-SECRET-KEY-1",), r"[0-9A-Z]{58}\b"),
    SecretShape("JSON web token", ("eyJ",), r"[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}"),
)
# fmt: on


MARK = "[secret removed]"
LEAST_CHARACTERS = 16  # no value that we know is shorter, with what stands around it
SHORT = 1000
DEEPEST = 12
URL = r"://[^\s/:@\"'<>`\\]{0,64}:([^\s/@\"'<>`\\]{8,200})@[A-Za-z0-9\[]"
KEY_BEGIN = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
KEY_END = "-----END"
KEY_KIND = "private key"
URL_KIND = "password in an address"
LONGEST_KEY = 64 << 10
LEAST_KEY_CHARACTERS = 64
BODY = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
MADE_UP = (
    "example", "sample", "dummy", "placeholder", "redacted", "changeme", "change-me", "12345678", "abcdef", "foobar",
    "password", "passwd", "...", "****", "xxxxxx", "000000",
)  # fmt: skip
OWN_CONFIGURATION = frozenset(("context.json", "global-context.json", "fieldguide.toml", ".gitmodules", ".gitconfig"))
CONFIGURATION_NAMES = OWN_CONFIGURATION | {
    "gitconfig", "hgrc", ".hgrc", "pipfile", "dockerfile", "containerfile", "makefile", "justfile", "procfile",
    ".yarnrc", ".condarc",
}  # fmt: skip
CONFIGURATION_ENDINGS = (
    ".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".cnf", ".conf", ".config", ".properties",
    ".gitconfig", ".plist", ".hcl", ".tf", ".mk", ".service", ".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd",
)  # fmt: skip
GIT_SECTIONS = ("[remote", "[submodule", "[url", "[credential")
SECRET_NAMES = ("token", "secret", "password", "passwd", "pwd", "sig", "key", "auth", "credential")
VARIABLES = ("$", "{", "<", "%(", "%s", "[secret")
EXAMPLES = frozenset((
    "password", "passwd", "pass", "pwd", "secret", "token", "user", "username", "example", "changeme", "test", "guest",
    "admin", "root", "postgres", "mysql", "mypassword", "yourpassword", "your-password", "your_password",
))  # fmt: skip
PLAIN_USERS = frozenset(("git", "user", "username", "oauth2", "x-access-token", "anonymous"))
LONGEST_ADDRESS = 4000
LONGEST_SCHEME = 30
AFTER_AN_ADDRESS = frozenset(" \t\r\n\"'<>`")


class SecretValue(NamedTuple):
    """A value in a text: its kind, and where it stands."""

    kind: str
    start: int
    end: int


def mask_secret_values(text: str) -> str:
    """The text with a mark in place of each such value; the number of lines stays the same."""
    values = _find_values(text)
    if not values:
        return text
    pieces: list[str] = []
    at = 0
    for value in values:
        line_ends = "".join(each for each in text[value.start : value.end] if each in "\r\n")
        pieces += (text[at : value.start], MARK, line_ends)
        at = value.end
    return "".join((*pieces, text[at:]))


def list_secret_value_kinds(text: str) -> list[str]:
    """The kind of each such value, in the order of the text."""
    return [each.kind for each in _find_values(text)]


def mask_secret_values_in_json(value: Any, depth: int = 0) -> Any:
    """A JSON value with the secret values in all its texts masked."""
    if isinstance(value, str):
        return mask_secret_values(value)
    if depth > DEEPEST:
        return value if value is None or isinstance(value, int | float) else "…"
    if isinstance(value, dict):
        masked: dict[Any, Any] = {}
        for key, each in cast("dict[str, Any]", value).items():
            masked[mask_secret_values_in_json(key)] = mask_secret_values_in_json(each, depth + 1)
        return masked
    if isinstance(value, list | tuple):
        return [mask_secret_values_in_json(each, depth + 1) for each in cast("list[Any]", value)]
    return value


def mask_secret_values_of_file(path: str, text: str) -> str:
    """The text of a file without such values; in configuration without any password or token in an address."""
    return mask_secret_values(mask_address_secrets_of_file(path, text))


def mask_address_secrets_of_file(path: str, text: str) -> str:
    """The text of a file; in configuration files all passwords and tokens in addresses are masked.

    Their place identifies them: nobody writes an example there, and a password that a person chose has no known shape.
    """
    if "://" not in text or not _is_configuration(path, text):
        return text
    is_ours = path.rpartition("/")[2].lower() in OWN_CONFIGURATION or _is_of_git(text)
    return mask_address_secrets(text, spares_examples=not is_ours)


def mask_address_secrets(text: str, *, spares_examples: bool = False) -> str:
    """The text with a mark for each password or token in an address, and for each query value that is named as one."""
    pieces: list[str] = []
    copied = 0
    mark = text.find("://")
    while mark >= 0:
        start = mark + 3
        end = start
        while end < len(text) and end - start < LONGEST_ADDRESS and text[end] not in AFTER_AN_ADDRESS:
            end += 1
        begin = mark
        earliest = max(copied, mark - LONGEST_SCHEME)
        while begin > earliest and (text[begin - 1].isalnum() or text[begin - 1] in "+.-"):
            begin -= 1
        scheme = text[begin:mark].lower()
        rest = text[start:end]
        clean = _without_values(_without_user(scheme, rest, spares_examples), spares_examples)
        if clean != rest:
            pieces += (text[copied:start], clean)
            copied = end
        mark = text.find("://", end)
    return "".join((*pieces, text[copied:])) if pieces else text


def is_secret_name(name: str) -> bool:
    """Whether a parameter of an address is named like a credential."""
    return any(each in name.lower() for each in SECRET_NAMES)


def _without_user(scheme: str, rest: str, spares_examples: bool) -> str:
    """What follows `://`, with the password masked; also a web user without a password, which is usually a token."""
    authority = _authority(rest)
    user, at, host = authority.rpartition("@")
    if not at:
        return rest
    name, colon, password = user.partition(":")
    if colon and password and not _is_spared(password, name, spares_examples):
        return f"{name}:{MARK}@{host}{rest[len(authority) :]}"
    is_token = not colon and scheme.endswith(("http", "https")) and name.lower() not in PLAIN_USERS
    if is_token and not _is_spared(name, "", spares_examples):
        return f"{MARK}@{host}{rest[len(authority) :]}"
    return rest


def _authority(rest: str) -> str:
    """User and host: up to the first slash, or behind the last `@` where a password has a slash in it."""
    plain = rest[: _end_of_host(rest, 0)]
    _, colon, port = plain.rpartition(":")
    if "@" in plain or not colon or port.isdecimal() or "]" in port:
        return plain
    last = rest.rfind("@")
    return plain if last < 0 else rest[: _end_of_host(rest, last)]


def _end_of_host(rest: str, start: int) -> int:
    places = [rest.find(mark, start) for mark in "/?#"]
    return min((place for place in places if place >= 0), default=len(rest))


def _without_values(rest: str, spares_examples: bool) -> str:
    """What follows `://`, with the query values masked whose names say that they are secret."""
    before, question, query = rest.partition("?")
    if not question:
        return rest
    joint = "&" if "&" in query or ";" not in query else ";"
    pairs = query.split(joint)
    masked: list[str] = []
    for pair in pairs:
        name, _, value = pair.partition("=")
        value, fragment, more = value.partition("#")
        if value and is_secret_name(name) and not _is_spared(value, "", spares_examples):
            pair = f"{name}={MARK}{fragment}{more}"
        masked.append(pair)
    return f"{before}?{joint.join(masked)}" if masked != pairs else rest


def _is_spared(value: str, user: str, spares_examples: bool) -> bool:
    """Whether this is no secret: a variable, our mark, or a usual word of examples."""
    if value.startswith(VARIABLES) or value == MARK or not value.strip("*.…x-"):
        return True
    return spares_examples and (value == user or value.lower() in EXAMPLES)


def _is_configuration(path: str, text: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name in CONFIGURATION_NAMES or name.endswith(CONFIGURATION_ENDINGS) or _is_of_git(text)


def _is_of_git(text: str) -> bool:
    """Whether a text is written as git's own configuration is."""
    return any(f"{mark} " in text and "url" in text for mark in GIT_SECTIONS)


def _find_values(text: str) -> list[SecretValue]:
    """Every value in order, without overlaps."""
    if len(text) < LEAST_CHARACTERS or (len(text) <= SHORT and not _may_hold(text)):
        return []
    haystack = text.encode("ascii", errors="replace")  # a byte for each character, so that places stay the same
    if _patterns()[0].search(haystack) is None:
        return []
    candidates = [*_values(haystack, text), *_keys(haystack, text)]
    values: list[SecretValue] = []
    for each in sorted(candidates, key=lambda each: (each.start, -each.end)):
        if not values or each.start >= values[-1].end:
            values.append(each)
    return values


def _may_hold(text: str) -> bool:
    """Whether a short text is worth the import of RE2; the journal writes many, and nearly none is."""
    if ("@" in text and "://" in text) or "PRIVATE KEY" in text:
        return True
    return any(prefix in text for shape in SECRET_SHAPES for prefix in shape.prefixes)


def _values(haystack: bytes, text: str) -> Iterator[SecretValue]:
    for match in _patterns()[1].finditer(haystack):
        number: int = match.lastindex
        start, end = match.span(number)
        value = text[start:end]
        if number > len(SECRET_SHAPES):
            if _is_password(value):
                yield SecretValue(URL_KIND, start, end)
        elif _is_live(value):
            yield SecretValue(SECRET_SHAPES[number - 1].kind, start, end)


def _keys(haystack: bytes, text: str) -> Iterator[SecretValue]:
    """Private keys, from first to last line; one without a last line ends where it stops looking like a key."""
    begun = [match.span() for match in _patterns()[2].finditer(haystack)]
    for (start, first), (following, _) in pairwise([*begun, (len(text), len(text))]):
        most = min(following, first + LONGEST_KEY)  # so that no character is looked at for two keys
        stop = text.find(KEY_END, first, most)
        if stop >= 0:
            end = text.find("-----", stop + len(KEY_END), stop + 80)
            end = stop + len(KEY_END) if end < 0 else end + 5
        else:
            stop = first
            while stop < most and (text[stop] in BODY or text[stop] in "\r\n\\\t \"',:-"):
                stop += 1
            end = stop
        body = text[first:stop].replace("\\n", "")
        if sum(each in BODY for each in body) >= LEAST_KEY_CHARACTERS and "..." not in body and not _is_run(body):
            yield SecretValue(KEY_KIND, start, end)


def _is_live(value: str) -> bool:
    """Whether a value looks random: no known word, no run, and digits in it."""
    return any(map(str.isdigit, value)) and not _is_made_up(value) and not _is_run(value)


def _is_password(value: str) -> bool:
    """Whether the password in an address looks real: no variable, no plain word."""
    if any(each in value for each in "${}<>*()[]%|,;") or _is_made_up(value):
        return False
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and not _is_run(value, share=2)


def _is_made_up(value: str) -> bool:
    folded = value.casefold()
    return any(word in folded for word in MADE_UP)


def _is_run(value: str, share: int = 3) -> bool:
    """Whether a third of the characters, or another share, follow the one before them, as in `abcdef` and `aaaa`."""
    steps = sum(ord(after) - ord(before) in (0, 1) for before, after in pairwise(value))
    return steps * share >= len(value)


@cache
def _patterns() -> tuple[Any, Any, Any]:
    """The pattern of anything, that of values with a group for each shape, and that of keys; compiled on first use."""
    re2: Any = import_module("re2")  # it has no types
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False

    def compiled(pattern: str) -> Any:
        return re2.compile(pattern.encode(), options)

    parts = [rf"\b((?:{'|'.join(map(re2.escape, shape.prefixes))}){shape.rest})" for shape in SECRET_SHAPES]
    values = "|".join((*parts, URL))
    full = compiled(values)
    key = compiled(KEY_BEGIN)
    options.never_capture = True
    return compiled(f"{values}|{KEY_BEGIN}"), full, key
