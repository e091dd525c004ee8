"""Values that look alive and are nobody's: drawn anew from a seed, so that no file here holds one."""

import base64
import json
import zlib
from random import Random

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def drawn(length: int, alphabet: str = LETTERS, seed: int = 7) -> str:
    """Random characters, a digit first, so that some digit is always there."""
    random = Random(seed)
    return "7" + "".join(random.choice(alphabet) for _ in range(length - 1))


def checked(body: str) -> str:
    """A text with its checksum at the end, as several makers write it."""
    number, written = zlib.crc32(body.encode()), ""
    while number:
        number, digit = divmod(number, 62)
        written = LETTERS[digit] + written
    return f"{body}{written.rjust(6, '0')}"


def github_token(seed: int = 7) -> str:
    """A token with its checksum, as GitHub makes them."""
    return f"ghp_{checked(drawn(30, seed=seed))}"


def private_key(kind: str = "RSA ") -> str:
    """A block that looks like a private key, to its last line."""
    body = drawn(64 * 6, f"{LETTERS}+/")
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    return "\n".join([f"-----BEGIN {kind}PRIVATE KEY-----", *lines, f"-----END {kind}PRIVATE KEY-----", ""])


def certificate() -> str:
    return private_key("").replace("PRIVATE KEY", "CERTIFICATE")


def web_token(**payload: object) -> str:
    """A signed JSON web token."""
    parts = (json.dumps({"alg": "HS256", "typ": "JWT"}), json.dumps({"sub": "ann", **payload}))
    encoded = [base64.urlsafe_b64encode(part.encode()).rstrip(b"=").decode() for part in parts]
    return ".".join([*encoded, drawn(43)])


def live_values() -> dict[str, str]:
    """One of each kind, by what it is called."""
    hexadecimal = "0123456789abcdef"
    return {
        "AWS access key": f"AKIA{drawn(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}",
        "AWS secret key": f'aws_secret_access_key = "{drawn(40, f"{LETTERS}/+")}"',
        "GitHub token": github_token(),
        "Fieldguide token": f"fgt_{drawn(12).lower()}_{checked(drawn(40))}",
        "GitLab token": f"glpat-{drawn(20)}",
        "Slack token": f"xoxb-{drawn(12, '0123456789')}-{drawn(12, '0123456789', 8)}-{drawn(24)}",
        "Stripe key": f"sk_live_{drawn(24)}",
        "Google API key": f"AIza{drawn(35)}",
        "npm token": github_token().replace("ghp_", "npm_"),
        "PyPI token": f"pypi-AgEIcHlwaS5vcmc{drawn(120)}",
        "OpenAI key": f"sk-proj-{drawn(48)}",
        "Anthropic key": f"sk-ant-api03-{drawn(80)}",
        "SendGrid key": f"SG.{drawn(22)}.{drawn(43)}",
        "Hugging Face token": f"hf_{drawn(34)}",
        "DigitalOcean token": f"dop_v1_{drawn(64, hexadecimal)}",
        "Databricks token": f"dapi{drawn(32, hexadecimal)}",
        "Shopify token": f"shpat_{drawn(32, hexadecimal)}",
        "Square token": f"sq0atp-{drawn(22)}",
        "Azure key": f"AccountKey={drawn(86, f'{LETTERS}+/')}==",
        "password in an address": f"postgres://app:{drawn(16)}@db.internal/orders",
        "JSON web token": web_token(),
        "private key": private_key(),
    }
