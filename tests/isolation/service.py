"""A service with two projects on PostgreSQL, the people in it, and the tokens that somebody might try."""

import base64
import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.isolation.facts import HIDDEN, NAMED, write_project
from tests.raw_http import INITIALIZE, JSON_HEADERS, Answer, host_of, send
from tests.servers import FIELDGUIDE, announced_url, environment

ISSUER, AUDIENCE = "https://issuer.example.org", "https://guide.example.org/mcp"
OURS, THEIRS, NOWHERE = "alpha", "bravo", "alphx"


class Keys(NamedTuple):
    """The key that the issuer signs with, and one that it does not know."""

    ours: rsa.RSAPrivateKey
    foreign: rsa.RSAPrivateKey

    def jwks(self) -> str:
        """The issuer's public key as it publishes it."""
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.ours.public_key()))
        return json.dumps({"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]})

    def token(self, **changed: Any) -> str:
        """A token of the issuer's; what is changed makes it a bad one."""
        key = self.foreign if changed.pop("is_forged", False) else self.ours
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "iat": now, "exp": now + 3600, "scope": "read write"}
        return jwt.encode({**claims, **changed}, key, algorithm="RS256", headers={"kid": "one"})


def new_keys() -> Keys:
    """Two fresh keys."""
    return Keys(*(rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2)))


def unsigned(token: str) -> str:
    """The same token with `alg` none and no signature."""
    head = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').rstrip(b"=").decode()
    return f"{head}.{token.split('.')[1]}."


class Service(NamedTuple):
    """A running service, and how it is spoken to."""

    url: str

    def post(self, token: str | None, project: str, message: Any, **headers: str) -> Answer:
        """One message to a project, exactly as it stands."""
        body = json.dumps(message).encode()
        given = {"Host": host_of(self.url), **JSON_HEADERS, "Content-Length": str(len(body)), **headers}
        if token is not None:
            given["Authorization"] = f"Bearer {token}"
        return send(self.url, "POST", f"/mcp/{project}", list(given.items()), body)

    def session(self, token: str, project: str) -> "Session":
        """A session of the handshake era."""
        opened = self.post(token, project, INITIALIZE)
        assert opened.status == 200, opened.text
        return Session(self, token, project, opened.headers["mcp-session-id"])


class Session(NamedTuple):
    """One open session of one principal in one project."""

    service: Service
    token: str
    project: str
    id: str

    def ask(self, method: str, params: Mapping[str, Any]) -> Answer:
        """The answer to one request."""
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": dict(params)}
        return self.service.post(self.token, self.project, message, **{"Mcp-Session-Id": self.id})


class Team(NamedTuple):
    """The state folder and the database of a service, and the commands that its administrator types."""

    state: Path
    database: str

    def run(self, *arguments: str) -> str:
        """What a command prints."""
        done = subprocess.run(
            [FIELDGUIDE, *arguments], env=self._environment(), capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def new_token(self, user: str, *flags: str) -> str:
        """A token, as it is shown once."""
        token: str = json.loads(self.run("team", "token", "new", user, "--json", *flags))["token"]
        return token

    def revoked_token(self, user: str) -> str:
        """A token that was good, and is no longer."""
        made = json.loads(self.run("team", "token", "new", user, "--json"))
        self.run("team", "token", "revoke", made["id"])
        token: str = made["token"]
        return token

    def found(self, folder: Path) -> None:
        """Two projects, three people: ann owns the first, carol reads it, bob owns the second."""
        for name, secret, named in ((OURS, HIDDEN, NAMED), (THEIRS, "tincopper", "shed")):
            (folder / name).mkdir(parents=True)
            write_project(folder / name, secret, named)
            self.run("team", "projects", "add", name, str(folder / name))
        for user, project in (("ann", OURS), ("carol", OURS), ("bob", THEIRS)):
            self.run("team", "projects", "grant", user, project, "--write")

    @contextmanager
    def serving(self, *flags: str) -> Iterator[Service]:
        """The service on a free port."""
        process = subprocess.Popen(
            [FIELDGUIDE, "serve", "--projects", "--http", "127.0.0.1:0", *flags],
            env=self._environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        try:
            yield Service(announced_url(process.stderr.readline))
        finally:
            process.terminate()
            process.communicate(timeout=60)

    def _environment(self) -> dict[str, str]:
        ours = {"FIELDGUIDE_STATE": str(self.state), "FIELDGUIDE_DATABASE": self.database}
        return {**environment(), **ours}
