"""The way in for others: where it listens, by TLS or behind a proxy, and what finds out who asks."""

import os
from collections.abc import Callable
from typing import NamedTuple

from starlette.types import ASGIApp

from fieldguide.config import Settings
from fieldguide.errors import Failure, Misconfiguration
from fieldguide.server.web.endpoint import PATH, Endpoint, listen_on_port, listen_on_socket
from fieldguide.server.web.guard import Access, HttpGuard
from fieldguide.server.web.principals import OPEN_PATHS, Lookup, Principals, Verifier
from fieldguide.server.web.resource_metadata import ProtectedResource
from fieldguide.service import JWT, Service
from fieldguide.storage.port import Database

Tell = Callable[[str], None]
PutPages = Callable[[ASGIApp, ProtectedResource], ASGIApp]


class Gate(NamedTuple):
    """Where a service listens, and what it puts before whatever it serves."""

    endpoint: Endpoint
    origin: str
    verifier: Verifier
    service: Service

    def before(self, app: ASGIApp, access_for: Lookup, pages: PutPages | None = None) -> ASGIApp:
        """The application behind the guard, for requests of known principals with the rights that the lookup says.

        `pages` puts before it what answers people, who sign in by themselves.
        """
        service = self.service
        issuers = [service.jwt_issuer] if service.auth == JWT and service.jwt_issuer else []
        resource = ProtectedResource(self.origin, issuers=issuers, audience=service.jwt_audience)
        asked: ASGIApp = Principals(app, verifier=self.verifier, access_for=access_for, resource=resource)
        asked = asked if pages is None else pages(asked, resource)
        scheme = self.origin.partition("://")[0]
        guarded = HttpGuard(asked, Access(self.endpoint.hosts, None, scheme, OPEN_PATHS))
        if not service.behind_proxy:
            return guarded
        from fieldguide.server.web.proxies import TrustedProxies

        takes_others = service.has_tls
        return TrustedProxies(
            guarded, service.behind_proxy, scheme=scheme, takes_others=takes_others, open_paths=OPEN_PATHS
        )


def open_gate(settings: Settings, database: Database, tell: Tell) -> Gate:
    """Listen where the settings say, with what they ask of those who come."""
    verifier = _verifier(settings.service, database, tell)
    endpoint = _endpoint(settings)
    return Gate(endpoint, endpoint.url.removesuffix(PATH), verifier, settings.service)


def _endpoint(settings: Settings) -> Endpoint:
    service, path = settings.service, settings.socket_path()
    tls = None
    if service.tls_cert is not None and service.tls_key is not None:
        from fieldguide.server.web.tls import tls_context

        tls = tls_context(_file(service.tls_cert), _file(service.tls_key))
    if path is not None:
        found = listen_on_socket(path, service.socket_group)
        origin = service.public_url or "http://localhost"
        return found._replace(url=f"{origin}{PATH}", hosts=service.hosts() or found.hosts)
    found = listen_on_port(*settings.address())
    url = found.url.replace("http://", "https://", 1) if tls is not None else found.url
    if service.public_url is not None:
        url = f"{service.public_url}{PATH}"
    return found._replace(url=url, hosts=service.hosts() or found.hosts, tls=tls)


def _verifier(service: Service, database: Database, tell: Tell) -> Verifier:
    if service.auth != JWT or service.jwt_keys is None or service.jwt_issuer is None:
        from fieldguide.server.web.identity.static_tokens import StaticTokens
        from fieldguide.teams.tokens.verifying import KnownTokens

        return StaticTokens(KnownTokens(database))
    from fieldguide.server.web.identity.key_set import KeySet
    from fieldguide.server.web.identity.key_sources import key_source
    from fieldguide.server.web.identity.web_tokens import WebTokens

    source = key_source(service.jwt_keys)
    keys = KeySet(source.read, refresh_seconds=source.refresh_seconds, pause_seconds=source.pause_seconds)
    try:
        if not keys.load():
            raise Misconfiguration(f"{service.jwt_keys} holds no key that verifies signatures.")
    except Failure as error:
        if not source.is_remote:
            raise Misconfiguration(error.message) from error
        tell(f"{error.message} It is tried again when somebody comes.")  # the provider may start after us
    return WebTokens(keys, issuer=service.jwt_issuer, skew_seconds=service.jwt_skew)


def _file(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))
