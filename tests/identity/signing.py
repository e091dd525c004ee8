"""An identity provider for tests: it has keys, signs tokens, and answers with its JWKS."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import time
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ISSUER = "https://login.example.org/"
KINDS: dict[str, Any] = {
    "RS256": (lambda: rsa.generate_private_key(65537, 2048), jwt.algorithms.RSAAlgorithm),
    "PS256": (lambda: rsa.generate_private_key(65537, 2048), jwt.algorithms.RSAAlgorithm),
    "ES256": (lambda: ec.generate_private_key(ec.SECP256R1()), jwt.algorithms.ECAlgorithm),
    "ES384": (lambda: ec.generate_private_key(ec.SECP384R1()), jwt.algorithms.ECAlgorithm),
    "EdDSA": (ed25519.Ed25519PrivateKey.generate, jwt.algorithms.OKPAlgorithm),
}


class Provider:
    """Signs what it is asked to, with one key for each way of signing."""

    def __init__(self, audience: str, *algorithms: str) -> None:
        self.audience = audience
        self.keys = {each: KINDS[each][0]() for each in algorithms or ("ES256",)}
        self.name = ""

    def jwks(self) -> bytes:
        """The public keys."""
        return json.dumps({"keys": [self._public(each) for each in self.keys]}).encode()

    def _public(self, algorithm: str) -> dict[str, Any]:
        told = KINDS[algorithm][1].to_jwk(self.keys[algorithm].public_key(), as_dict=True)
        return {**told, "kid": f"{algorithm}{self.name}", "use": "sig", "alg": algorithm}

    def claims(self, **changed: Any) -> dict[str, Any]:
        """The claims of a good token; None leaves one out."""
        now = int(time())
        usual = {"iss": ISSUER, "aud": self.audience, "sub": "ann", "scope": "read write", "iat": now, "exp": now + 300}
        return {name: value for name, value in {**usual, **changed}.items() if value is not None}

    def token(self, algorithm: str = "ES256", *, header: dict[str, Any] | None = None, **changed: Any) -> str:
        """A token with these claims changed."""
        given = {"kid": f"{algorithm}{self.name}", **(header or {})}
        headers = {name: value for name, value in given.items() if value is not None}
        return jwt.encode(self.claims(**changed), self.keys[algorithm], algorithm=algorithm, headers=headers)

    def public_pem(self, algorithm: str) -> bytes:
        """A public key as a file holds it."""
        pem: bytes = self.keys[algorithm].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        return pem


def forged(header: dict[str, Any], claims: dict[str, Any], secret: bytes | None = None) -> str:
    """A token put together by hand: unsigned, or with a secret of the attacker's choice."""
    parts = ".".join(encoded(json.dumps(each).encode()) for each in (header, claims))
    signature = b"" if secret is None else hmac.new(secret, parts.encode(), hashlib.sha256).digest()
    return f"{parts}.{encoded(signature)}"


@contextmanager
def published(provider: Provider) -> Iterator[tuple[str, list[str]]]:
    """The provider's keys at an address, and the requests that came for them."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = provider.jwks()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *given: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/jwks.json", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
