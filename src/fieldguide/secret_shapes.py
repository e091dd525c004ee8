"""The shapes of values that let somebody in: keys and tokens whose makers gave them a prefix or a checksum.

Every pattern is for RE2, so it takes linear time, and has one group: the value itself. None looks around.
"""

import zlib
from collections.abc import Callable
from typing import Any, NamedTuple, cast

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
CHECKED = 6  # characters of the checksum at the end of a token of GitHub or npm


class Shape(NamedTuple):
    """A kind of value: its name, its pattern, and what else must hold; `proves` says that nobody made it up."""

    kind: str
    pattern: str
    proves: Callable[[str], bool] | None = None
    accepts: Callable[[str], bool] | None = None


def has_checksum(token: str) -> bool:
    """Whether a token ends with the CRC-32 of what stands after its prefix, in base 62."""
    body = token.rpartition("_")[2]
    return body[-CHECKED:] == checksum(body[:-CHECKED])


def checksum(body: str) -> str:
    """The CRC-32 of a text in base 62, as such tokens end with it."""
    number, written = zlib.crc32(body.encode()), ""
    while number:
        number, digit = divmod(number, len(DIGITS))
        written = DIGITS[digit] + written
    return written.rjust(CHECKED, "0")


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
    said, signed = cast("dict[str, Any]", payload), cast("dict[str, Any]", header)
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
SHAPES = (
    Shape("AWS access key", r"\b((?:AKIA|ASIA)[A-Z2-7]{16})\b"),
    Shape(
        "AWS secret key",
        r"(?i:secret_?access_?key|aws_?secret(?:_?key)?)[\"']?\s{0,4}(?:=>|[:=,])\s{0,4}[\"']?([A-Za-z0-9/+]{40})"
        r"(?:[^A-Za-z0-9/+=]|$)",
    ),
    Shape("GitHub token", r"\b(gh[pousr]_[A-Za-z0-9]{36,})\b", proves=has_checksum),
    Shape("GitHub token", r"\b(github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b"),
    Shape("Fieldguide token", r"\b(fgt_[0-9a-z]{12}_[A-Za-z0-9]{46})\b", proves=has_checksum),
    Shape("GitLab token", r"\b(gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|imt|agent)-[A-Za-z0-9_-]{20,})"),
    Shape("Slack token", r"\b(xox[abeoprs]-[A-Za-z0-9-]{20,}|xapp-[0-9]-[A-Z0-9]{8,}-[0-9]{8,}-[a-z0-9]{32,})"),
    Shape("Slack webhook", r"hooks\.slack\.com/[a-z]{8,9}/(T[A-Z0-9]{8,12}/[AB][A-Z0-9]{8,12}/[A-Za-z0-9]{20,24})"),
    Shape("Discord webhook", r"discord(?:app)?\.com/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,80})"),
    Shape(
        "Discord token", r"\b([MNO][A-Za-z0-9]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38})\b", accepts=is_bot_token
    ),
    Shape("Stripe key", r"\b((?:sk|rk)_live_[A-Za-z0-9]{16,})\b"),
    Shape("Google API key", r"\b(AIza[A-Za-z0-9_-]{35})\b"),
    Shape("Google token", r"\b(ya29\.[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{28})"),
    Shape("npm token", r"\b(npm_[A-Za-z0-9]{36})\b", proves=has_checksum),
    Shape("PyPI token", r"\b(pypi-AgE[A-Za-z0-9_-]{50,})"),
    Shape("Anthropic key", r"\b(sk-ant-[A-Za-z0-9_-]{24,})"),
    Shape("OpenAI key", r"\b(sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9]{32,64})\b"),
    Shape("Hugging Face token", r"\b(hf_[A-Za-z0-9]{34})\b"),
    Shape("Groq key", r"\b(gsk_[A-Za-z0-9]{52})\b"),
    Shape("SendGrid key", r"\b(SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50})\b"),
    Shape("Twilio key", r"\b(SK[0-9a-f]{32})\b"),
    Shape("Mailgun key", r"\b(key-[0-9a-f]{32})\b"),
    Shape("Mailchimp key", r"\b([0-9a-f]{32}-us[0-9]{1,2})\b"),
    Shape("Azure key", r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{43,86}={1,2})"),
    Shape("Azure secret", r"[^A-Za-z0-9_~.-]([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)"),
    Shape("DigitalOcean token", r"\b(do[opr]_v1_[a-f0-9]{64})\b"),
    Shape("Databricks token", r"\b(dapi[a-f0-9]{32}(?:-[0-9])?)\b"),
    Shape("Square token", r"\b(sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43})"),
    Shape("Shopify token", r"\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\b"),
    Shape("Telegram token", r"\b([0-9]{8,10}:AA[A-Za-z0-9_-]{33})\b"),
    Shape("Docker token", r"\b(dckr_[op]at_[A-Za-z0-9_-]{27,32})\b"),
    Shape("RubyGems key", r"\b(rubygems_[a-f0-9]{48})\b"),
    Shape("Vault token", r"\b(hv[sb]\.[A-Za-z0-9_-]{24,})"),
    Shape("Terraform token", r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,80})"),
    Shape("Grafana token", r"\b(glsa_[A-Za-z0-9]{32}_[a-f0-9]{8})\b"),
    Shape("New Relic key", r"\b(NRAK-[A-Z0-9]{27})\b"),
    Shape("Sentry token", r"\b(sntry[su]_[A-Za-z0-9+/=_-]{60,})"),
    Shape("Linear key", r"\b(lin_api_[A-Za-z0-9]{40})\b"),
    Shape("Notion token", r"\b(ntn_[A-Za-z0-9]{40,50})\b"),
    Shape("Atlassian token", r"\b(ATATT3[A-Za-z0-9_=-]{150,})"),
    Shape("Supabase token", r"\b(sb(?:p|_secret)_[A-Za-z0-9_-]{30,50})\b"),
    Shape("Doppler token", r"\b(dp\.(?:ct|pt|st|sa|scim|audit)\.[A-Za-z0-9.]{40,60})\b"),
    Shape("Tailscale key", r"\b(tskey-[a-z]{3,10}-[A-Za-z0-9-]{20,80})\b"),
    Shape("age key", r"\b(AGE-SECRET-KEY-1[0-9A-Z]{58})\b"),
    Shape(
        "JSON web token",
        r"\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,})",
        accepts=is_signed_token,
    ),
    Shape("private key", r"\b(LS0tLS1CRUdJTi[A-Za-z0-9+/]{80,}={0,2})", accepts=is_private_key),
)
# fmt: on
