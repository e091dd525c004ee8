"""Finds and masks values in text that look like live keys, tokens and passwords.

Every pattern is for RE2, so it takes linear time, and has one group: the value itself. None looks around.

One pass of RE2 over the text finds nothing in nearly every text; only otherwise each shape is searched for. A value
that is plainly made up, such as `AKIAIOSFODNN7EXAMPLE`, does not count.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from math import log2
from typing import Any, NamedTuple, cast

BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
CHECKSUM_CHARACTERS = 6  # characters of the checksum at the end of a token of GitHub or npm


class SecretShape(NamedTuple):
    """A kind of value: its name, its pattern, and what else must hold; `proves` says that nobody made it up."""

    kind: str
    pattern: str
    proves: Callable[[str], bool] | None = None
    accepts: Callable[[str], bool] | None = None


def has_checksum(token: str) -> bool:
    """Whether a token ends with the CRC-32 of what stands after its prefix, in base 62."""
    body = token.rpartition("_")[2]
    return body[-CHECKSUM_CHARACTERS:] == compute_checksum(body[:-CHECKSUM_CHARACTERS])


def compute_checksum(body: str) -> str:
    """The CRC-32 of a text in base 62, as such tokens end with it."""
    import zlib  # only for tokens: it is not needed at the start

    number = zlib.crc32(body.encode())
    written = ""
    while number:
        number, digit = divmod(number, len(BASE62_DIGITS))
        written = BASE62_DIGITS[digit] + written
    return written.rjust(CHECKSUM_CHARACTERS, "0")


def is_signed_token(token: str) -> bool:
    """Whether a JSON web token has a header that names how it is signed, and is not past its time."""
    import base64
    import json
    from time import time

    try:
        header, payload = (json.loads(base64.urlsafe_b64decode(f"{part}===")) for part in token.split(".")[:2])
    except (ValueError, RecursionError):
        return False
    if not isinstance(header, dict) or not isinstance(payload, dict):
        return False
    said = cast("dict[str, Any]", payload)
    signed = cast("dict[str, Any]", header)
    ends: Any = said.get("exp")
    is_over = isinstance(ends, int | float) and ends < time()
    is_shown_everywhere = said.get("sub") == "1234567890" or said.get("name") == "John Doe"  # jwt.io's own
    return signed.get("alg", "none") != "none" and not is_over and not is_shown_everywhere


def is_bot_token(token: str) -> bool:
    """Whether the first part of a token of Discord's is the number of a bot."""
    import base64

    try:
        return base64.urlsafe_b64decode(f"{token.partition('.')[0]}===").isdigit()
    except ValueError:
        return False


def is_private_key(encoded: str) -> bool:
    """Whether base64 text that begins as a PEM block does is that of a private key."""
    import base64

    try:
        return b"PRIVATE KEY-----" in base64.b64decode(encoded[:100])
    except ValueError:
        return False


# fmt: off
SECRET_SHAPES = (
    SecretShape("AWS access key", r"\b((?:AKIA|ASIA)[A-Z2-7]{16})\b"),
    SecretShape(
        "AWS secret key",
        r"(?i:secret_?access_?key|aws_?secret(?:_?key)?)[\"']?\s{0,4}(?:=>|[:=,])\s{0,4}[\"']?([A-Za-z0-9/+]{40})"
        r"(?:[^A-Za-z0-9/+=]|$)",
    ),
    SecretShape("GitHub token", r"\b(gh[pousr]_[A-Za-z0-9]{36,})\b", proves=has_checksum),
    SecretShape("GitHub token", r"\b(github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b"),
    SecretShape("Fieldguide token", r"\b(fgt_[0-9a-z]{12}_[A-Za-z0-9]{46})\b", proves=has_checksum),
    SecretShape("GitLab token", r"\b(gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|imt|agent)-[A-Za-z0-9_-]{20,})"),
    SecretShape("Slack token", r"\b(xox[abeoprs]-[A-Za-z0-9-]{20,}|xapp-[0-9]-[A-Z0-9]{8,}-[0-9]{8,}-[a-z0-9]{32,})"),
    SecretShape("Slack webhook",
                r"hooks\.slack\.com/[a-z]{8,9}/(T[A-Z0-9]{8,12}/[AB][A-Z0-9]{8,12}/[A-Za-z0-9]{20,24})"),
    SecretShape("Discord webhook", r"discord(?:app)?\.com/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,80})"),
    SecretShape(
        "Discord token", r"\b([MNO][A-Za-z0-9]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38})\b", accepts=is_bot_token
    ),
    SecretShape("Stripe key", r"\b((?:sk|rk)_live_[A-Za-z0-9]{16,})\b"),
    SecretShape("Google API key", r"\b(AIza[A-Za-z0-9_-]{35})\b"),
    SecretShape("Google token", r"\b(ya29\.[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{28})"),
    SecretShape("npm token", r"\b(npm_[A-Za-z0-9]{36})\b", proves=has_checksum),
    SecretShape("PyPI token", r"\b(pypi-AgE[A-Za-z0-9_-]{50,})"),
    SecretShape("Anthropic key", r"\b(sk-ant-[A-Za-z0-9_-]{24,})"),
    SecretShape("OpenAI key", r"\b(sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9]{32,64})\b"),
    SecretShape("Hugging Face token", r"\b(hf_[A-Za-z0-9]{34})\b"),
    SecretShape("Groq key", r"\b(gsk_[A-Za-z0-9]{52})\b"),
    SecretShape("SendGrid key", r"\b(SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50})\b"),
    SecretShape("Twilio key", r"\b(SK[0-9a-f]{32})\b"),
    SecretShape("Mailgun key", r"\b(key-[0-9a-f]{32})\b"),
    SecretShape("Mailchimp key", r"\b([0-9a-f]{32}-us[0-9]{1,2})\b"),
    SecretShape("Azure key", r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{43,86}={1,2})"),
    SecretShape("Azure secret",
                r"[^A-Za-z0-9_~.-]([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)"),
    SecretShape("DigitalOcean token", r"\b(do[opr]_v1_[a-f0-9]{64})\b"),
    SecretShape("Databricks token", r"\b(dapi[a-f0-9]{32}(?:-[0-9])?)\b"),
    SecretShape("Square token", r"\b(sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43})"),
    SecretShape("Shopify token", r"\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\b"),
    SecretShape("Telegram token", r"\b([0-9]{8,10}:AA[A-Za-z0-9_-]{33})\b"),
    SecretShape("Docker token", r"\b(dckr_[op]at_[A-Za-z0-9_-]{27,32})\b"),
    SecretShape("RubyGems key", r"\b(rubygems_[a-f0-9]{48})\b"),
    SecretShape("Vault token", r"\b(hv[sb]\.[A-Za-z0-9_-]{24,})"),
    SecretShape("Terraform token", r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,80})"),
    SecretShape("Grafana token", r"\b(glsa_[A-Za-z0-9]{32}_[a-f0-9]{8})\b"),
    SecretShape("New Relic key", r"\b(NRAK-[A-Z0-9]{27})\b"),
    SecretShape("Sentry token", r"\b(sntry[su]_[A-Za-z0-9+/=_-]{60,})"),
    SecretShape("Linear key", r"\b(lin_api_[A-Za-z0-9]{40})\b"),
    SecretShape("Notion token", r"\b(ntn_[A-Za-z0-9]{40,50})\b"),
    SecretShape("Atlassian token", r"\b(ATATT3[A-Za-z0-9_=-]{150,})"),
    SecretShape("Supabase token", r"\b(sb(?:p|_secret)_[A-Za-z0-9_-]{30,50})\b"),
    SecretShape("Doppler token", r"\b(dp\.(?:ct|pt|st|sa|scim|audit)\.[A-Za-z0-9.]{40,60})\b"),
    SecretShape("Tailscale key", r"\b(tskey-[a-z]{3,10}-[A-Za-z0-9-]{20,80})\b"),
    SecretShape("age key", r"\b(AGE-SECRET-KEY-1[0-9A-Z]{58})\b"),
    SecretShape(
        "JSON web token",
        r"\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,})",
        accepts=is_signed_token,
    ),
    SecretShape("private key", r"\b(LS0tLS1CRUdJTi[A-Za-z0-9+/]{80,}={0,2})", accepts=is_private_key),
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
LEAST_BITS = 3.0  # of information in each character; words and repetitions have less, random letters more
LONG_WORD = 58  # from here on a value, in three parts, may have none that is always the same
BODY = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
HINTS = (
    "AKIA", "ASIA", "ecret", "ECRET", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-",
    "fgt_", "glcbt-", "glptt-", "glft-", "gloas-", "glsoat-", "glimt-", "glagent-", "glsa_", "xox", "xapp-",
    "hooks.slack", "webhooks/", "_live_", "AIza", "ya29.", "GOCSPX-", "npm_", "pypi-AgE", "sk-", "hf_", "gsk_", "SG.",
    "SK", "key-", "-us", "AccountKey", "AccessKey", "_v1_", "dapi", "sq0", "shp", ":AA", "dckr_", "rubygems_",
    "hvs.", "hvb.", ".atlasv1.", "NRAK-", "sntry", "lin_api_", "ntn_", "ATATT3", "sbp_", "sb_secret_", "dp.", "tskey-",
    "AGE-SECRET", "eyJ", "LS0t",
)  # fmt: skip
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
MADE_UP_SHORT = ("test", "fake", "your", "secret", "token", "insert")  # in a long value they may stand by chance
LONG_VALUE = 80
KNOWN_TO_ALL = frozenset((
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",  # Azure's emulator
))  # fmt: skip


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
    if ("@" in text and "://" in text) or "Q~" in text or "PRIVATE KEY" in text:
        return True
    if not any(len(part) >= LEAST_CHARACTERS for part in text.replace("/", " ").replace(".", " ").split()):
        return False
    if any(len(word) >= LONG_WORD and word.count(".") > 1 for word in text.split()):  # it may be a signed token
        return True
    return any(hint in text for hint in HINTS)


def _values(haystack: bytes, text: str) -> Iterator[SecretValue]:
    _, shapes, address, _ = _patterns()
    for shape, pattern in zip(SECRET_SHAPES, shapes, strict=True):
        for match in pattern.finditer(haystack):
            start, end = match.span(1)
            value = text[start:end]
            is_proved = shape.proves is not None and shape.proves(value)
            if is_proved or (_is_live(value) and (shape.accepts is None or shape.accepts(value))):
                yield SecretValue(shape.kind, start, end)
    for match in address.finditer(haystack):
        start, end = match.span(1)
        if _is_password(text[start:end]):
            yield SecretValue(URL_KIND, start, end)


def _keys(haystack: bytes, text: str) -> Iterator[SecretValue]:
    """Private keys, from first to last line; one without a last line ends where it stops looking like a key."""
    begun = [match.span() for match in _patterns()[3].finditer(haystack)]
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
    """Whether a value looks random: no known word, no run, enough information."""
    body = value.rpartition("_")[2] if value.count("_") == 1 else value
    if value in KNOWN_TO_ALL or _is_made_up(value) or not any(map(str.isdigit, body)):
        return False
    return _bits(body) >= LEAST_BITS and not _is_run(body)


def _is_password(value: str) -> bool:
    """Whether the password in an address looks real: no variable, no plain word."""
    if any(each in value for each in "${}<>*()[]%|,;") or _is_made_up(value):
        return False
    has_all = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_all and _bits(value) >= LEAST_BITS - 0.5 and not _is_run(value, share=2)


def _is_made_up(value: str) -> bool:
    folded = value.casefold()
    words = MADE_UP if len(value) > LONG_VALUE else MADE_UP + MADE_UP_SHORT
    return any(word in folded for word in words)


def _is_run(value: str, share: int = 3) -> bool:
    """Whether a third of the characters, or another share, follow the one before them, as in `abcdef` and `aaaa`."""
    steps = sum(ord(after) - ord(before) in (0, 1) for before, after in pairwise(value))
    return steps * share >= len(value)


def _bits(value: str) -> float:
    counts = Counter(value).values()
    return -sum(count / len(value) * log2(count / len(value)) for count in counts)


@cache
def _patterns() -> tuple[Any, tuple[Any, ...], Any, Any]:
    """The patterns of all shapes together, of each shape, of addresses and of keys; compiled on first use."""
    re2: Any = import_module("re2")  # it has no types
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False

    def compiled(pattern: str) -> Any:
        return re2.compile(pattern.encode(), options)

    alone = tuple(compiled(shape.pattern) for shape in SECRET_SHAPES)
    address = compiled(URL)
    key = compiled(KEY_BEGIN)
    options.never_capture = True
    union = compiled("|".join((*(shape.pattern for shape in SECRET_SHAPES), URL, KEY_BEGIN)))
    return union, alone, address, key
