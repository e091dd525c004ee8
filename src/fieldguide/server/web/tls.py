"""TLS by files of a certificate and its key: modern versions only, and a key that others can't read."""

import asyncio.sslproto
import importlib
import os
import ssl
import stat
import sys
from types import ModuleType

from fieldguide.errors import Misconfiguration

OTHERS = stat.S_IRWXO | stat.S_IWGRP


def tls_context(certificate: str, key: str) -> ssl.SSLContext:
    """What speaks TLS with these files; a Misconfiguration says what is wrong with them."""
    _check_key(key)
    _teach_asyncio()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except _Locked as error:
        raise Misconfiguration(
            f"The key {key} has a password. Give one without, that only the server reads."
        ) from error
    except ssl.SSLError as error:
        raise Misconfiguration(
            f"The certificate {certificate} and the key {key} are of no use: not PEM, or they do not belong together."
        ) from error
    except OSError as error:
        raise Misconfiguration(f"The certificate {certificate} can't be read: {error.strerror or error}.") from error
    return context


def _teach_asyncio() -> None:
    """Give asyncio the TLS that it lacks where `fieldguide serve` imported it without, for a quick start."""
    untaught = [each for name, each in sys.modules.items() if name.startswith("asyncio.") and _lacks_tls(each)]
    for module in untaught:
        vars(module)["ssl"] = ssl
    if untaught:
        importlib.reload(asyncio.sslproto)


def _lacks_tls(module: ModuleType) -> bool:
    return vars(module).get("ssl", ssl) is None


def _check_key(key: str) -> None:
    try:
        found = os.stat(key)
    except OSError as error:
        raise Misconfiguration(f"The key {key} can't be read: {error.strerror or error}.") from error
    if not stat.S_ISREG(found.st_mode):
        raise Misconfiguration(f"The key {key} is not a plain file.")
    if found.st_mode & OTHERS:
        raise Misconfiguration(f"Others can read or change the key {key}: `chmod 600` it (or 640, for a group).")


class _Locked(Exception):
    """The key asks for a password, and nobody is there to type it."""


def _no_password() -> str:
    raise _Locked
