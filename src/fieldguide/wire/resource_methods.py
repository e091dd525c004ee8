"""Answers `resources/*`: list, templates, read, and subscriptions."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from fieldguide.settings.access import bind_caller
from fieldguide.settings.limits import Limits
from fieldguide.spine.registry import Registry
from fieldguide.spine.resources import (
    PANEL_ADDRESS,
    Panel,
    Panels,
    Resource,
    ResourceContents,
    ResourceProvider,
    Resources,
    ResourceTemplate,
)
from fieldguide.spine.tool import INTERNAL_ERROR, INVALID_PARAMS
from fieldguide.spine.toolset import Toolset
from fieldguide.spine.workers import Workers, time_limit
from fieldguide.text.errors import Failure, FieldguideError, NotFound, Refusal, shorten
from fieldguide.wire.clients import shows_panels
from fieldguide.wire.connection import Request, add_cache_hint
from fieldguide.wire.jsonrpc import INVALID_REQUEST, RpcError

PAGE = 100
T = TypeVar("T")
RESOURCE_NOT_FOUND = -32002


class ResourceMethods:
    """Answers for resources; whatever touches a disk runs on a worker thread."""

    def __init__(self, *, resources: Resources, workers: Workers, limits: Limits) -> None:
        self._resources = resources
        self._workers = workers
        self._limits = limits

    async def list_resources(self, request: Request) -> dict[str, Any]:
        """`resources/list`, a hundred at a time; panels are for those that show them."""
        found = await self._workers.run(_for(request, partial(self._resources.list, request.access)))
        if not shows_panels(request.capabilities):
            found = [resource for resource in found if not resource.uri.startswith(PANEL_ADDRESS)]
        page, following = _page(found, request.params.get("cursor"))
        result = {"resources": [_listed(resource) for resource in page], **following}
        return add_cache_hint(result, is_modern=request.is_modern)

    async def list_templates(self, request: Request) -> dict[str, Any]:
        """`resources/templates/list`."""
        found = await self._workers.run(_for(request, partial(self._resources.templates, request.access)))
        result = {"resourceTemplates": [_template(template) for template in found]}
        return add_cache_hint(result, is_modern=request.is_modern)

    async def read_resource(self, request: Request) -> dict[str, Any]:
        """`resources/read`."""
        uri = self._uri(request)
        try:
            async with time_limit("resources/read", None):
                read = partial(self._resources.read, uri, request.access)
                contents = await self._workers.run(_for(request, read))
        except NotFound as error:
            code = INVALID_PARAMS if request.is_modern else RESOURCE_NOT_FOUND
            raise RpcError(code, error.message, {**error.details, "uri": uri}) from error
        except FieldguideError as error:
            raise RpcError(_code(error), error.message, {**error.details, "uri": uri}) from error
        return add_cache_hint({"contents": [_contents(each) for each in contents]}, is_modern=request.is_modern)

    async def subscribe(self, request: Request) -> dict[str, Any]:
        """`resources/subscribe`, of the handshake era."""
        uri = self._uri(request)
        subscriptions = request.connection.subscriptions
        await self.look()
        if uri not in subscriptions and len(subscriptions) >= self._limits.subscriptions_per_connection:
            told = self._limits.told("subscriptions_per_connection")
            raise RpcError(INVALID_REQUEST, f"Too many subscriptions: {told}.")
        subscriptions.add(uri)
        return {}

    async def look(self) -> None:
        """See how everything is now, so that whatever changes from here on is told; what can't be seen is no news."""
        with suppress(FieldguideError):
            await self._workers.run(self._resources.list)

    async def unsubscribe(self, request: Request) -> dict[str, Any]:
        """`resources/unsubscribe`, of the handshake era."""
        request.connection.subscriptions.discard(self._uri(request))
        return {}

    def _uri(self, request: Request) -> str:
        uri = request.params.get("uri")
        if not isinstance(uri, str) or not uri:
            raise RpcError(INVALID_PARAMS, 'Invalid params: "uri" must be a string.')
        if len(uri) > self._limits.uri_characters:
            told = self._limits.told("uri_characters")
            raise RpcError(INVALID_PARAMS, f"Invalid params: the URI is too long: {told}.", {"uri": shorten(uri)})
        return uri


def collect_panels(toolsets: Sequence[Toolset]) -> tuple[Panel, ...]:
    """The pages beside the answers of all toolsets."""
    return tuple(panel for each in toolsets for panel in each.panels)


def collect_resources(toolsets: Sequence[Toolset], registry: Registry) -> Resources:
    """Where resources come from: the toolsets, and the pages beside their answers."""
    panels = collect_panels(toolsets)
    providers: list[ResourceProvider] = [provider for each in toolsets for provider in each.resources]
    owners = {provider.scheme: each.name for each in toolsets for provider in each.resources}
    owners |= {panel.uri: each.name for each in toolsets for panel in each.panels}
    return Resources([*providers, *([Panels(panels, registry)] if panels else [])], owners)


def _for(request: Request, function: Callable[[], T]) -> Callable[[], T]:
    """A function that works for whoever sent the request."""
    return bind_caller(request.connection.user, function, request.access)


def _code(error: FieldguideError) -> int:
    """Internal for a failure of ours, invalid params for a refusal with a reason, invalid request for a plain one."""
    if isinstance(error, Failure):
        return INTERNAL_ERROR
    return INVALID_REQUEST if type(error) is Refusal else INVALID_PARAMS


def _page(found: list[Resource], cursor: Any) -> tuple[list[Resource], dict[str, str]]:
    """One page; the cursor is the last URI of the page before, so that a change in between loses nothing."""
    if cursor is not None and (not isinstance(cursor, str) or not cursor.startswith("after:")):
        raise RpcError(INVALID_PARAMS, "Invalid cursor.")
    rest = found if cursor is None else [resource for resource in found if resource.uri > cursor[len("after:") :]]
    page = rest[:PAGE]
    return page, {"nextCursor": f"after:{page[-1].uri}"} if len(rest) > PAGE else {}


def _listed(resource: Resource) -> dict[str, Any]:
    return _without_none(
        uri=resource.uri,
        name=resource.name,
        title=resource.title,
        description=resource.description,
        mimeType=resource.mime_type,
        size=resource.size,
        annotations=resource.annotations,
        _meta=resource.meta,
    )


def _template(template: ResourceTemplate) -> dict[str, Any]:
    return _without_none(
        uriTemplate=template.uri_template,
        name=template.name,
        title=template.title,
        description=template.description,
        mimeType=template.mime_type,
    )


def _contents(contents: ResourceContents) -> Mapping[str, Any]:
    return _without_none(
        uri=contents.uri, mimeType=contents.mime_type, text=contents.text, blob=contents.blob, _meta=contents.meta
    )


def _without_none(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
