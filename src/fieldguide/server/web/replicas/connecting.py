"""A session that replicas share as the connection of one request, and what a request changed of it."""

from fieldguide.server.connection import Connection, Outlet
from fieldguide.spine.callers.access import Access
from fieldguide.teams.replicas.sessions import SessionState, SharedSession


def state_of(connection: Connection) -> SessionState:
    """What is kept of a connection."""
    return SessionState(
        version=connection.version,
        client=dict(connection.client),
        capabilities=dict(connection.capabilities),
        is_initialized=connection.is_initialized,
        log_level=connection.log_level,
        workflow=connection.workflow,
        subscriptions=frozenset(connection.subscriptions),
    )


def connection_of(session: SharedSession, outlet: Outlet, *, user: str | None, access: Access | None) -> Connection:
    """A connection for one request: two requests of a session share nothing but what is kept of it."""
    connection = Connection(outlet=outlet, id=session.connection, user=user, access=access)
    bring_up_to_date(connection, session.state)
    return connection


def bring_up_to_date(connection: Connection, state: SessionState) -> None:
    """Give a connection what is kept of its session now."""
    connection.version = state.version
    connection.client = state.client
    connection.capabilities = state.capabilities
    connection.is_initialized = state.is_initialized
    connection.log_level = state.log_level
    connection.workflow = state.workflow
    connection.subscriptions = set(state.subscriptions)
