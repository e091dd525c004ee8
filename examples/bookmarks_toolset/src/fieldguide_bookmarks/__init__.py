"""Bookmarks in a project: a toolset with a table of its own, and everything that a toolset is given."""

from typing import Any

from fieldguide.spine.tool import ANONYMOUS, Call, Effects, Tool
from fieldguide.spine.toolset import Services, Toolset
from fieldguide.storage.database import Schema
from fieldguide.text.errors import Refusal, ToolNotFound

SCHEMA = Schema(toolset="bookmarks", package="fieldguide_bookmarks")
TEXT: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 500}
LARGEST_FILE_BYTES = 1_000_000
ADD = """
    INSERT INTO bookmark (project, user_id, path, why) VALUES (:project, :user, :path, :why)
    ON CONFLICT (project, user_id, path) DO UPDATE SET why = excluded.why
"""
ALL = "SELECT path, why FROM bookmark WHERE project = :project AND user_id = :user ORDER BY path"


class Bookmarks:
    """What each user of a project wants to find again."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.largest_bytes = int(services.settings.get("largest_bytes", LARGEST_FILE_BYTES))

    def add(self, call: Call) -> dict[str, Any]:
        """Keep a bookmark; a file that is not there, or is none of the project's, is refused by `read`."""
        given, services = call.arguments, self.services
        services.project.read(given["path"], limit_bytes=self.largest_bytes)
        if len(self._of(call)) >= services.limits.discoveries:
            raise Refusal(f"There are too many bookmarks: {services.limits.told('discoveries')}.")
        row = {**self._owner(call), "path": given["path"], "why": given.get("why", "")}
        with services.database.writing(call.cancellation) as transaction:
            transaction.execute(ADD, row)
        services.note("Bookmark kept", path=given["path"])
        return {"kept": given["path"]}

    def find(self, call: Call) -> dict[str, Any]:
        """The bookmarks; those that `about` speaks of, best first, where the project's documents are searched."""
        kept = self._of(call)
        about = call.arguments.get("about")
        if about is None or not self._is_served("documents_search"):
            return {"bookmarks": kept}
        names = self._documents_about(about, call)
        ranked = [(at, each) for each in kept for at, name in enumerate(names) if each["path"].endswith(name)]
        found = {"bookmarks": [each for _, each in sorted(ranked, key=lambda found: found[0])]}
        return {**found, "hint": "The index may be behind."} if self.services.is_at_work() else found

    def _of(self, call: Call) -> list[dict[str, str]]:
        with self.services.database.reading(call.cancellation) as transaction:
            return [dict(row) for row in transaction.fetch_all(ALL, self._owner(call))]

    def _owner(self, call: Call) -> dict[str, str]:
        """One database may serve many projects and many people."""
        return {"project": self.services.namespace, "user": call.user or self.services.user or ANONYMOUS}

    def _documents_about(self, text: str, call: Call) -> list[str]:
        from fieldguide.search.engine import SearchQuestion  # heavy: imported by the first call that searches
        from fieldguide.search.types import Scope

        self.services.ready(call, text)
        engine = self.services.engine()
        scope = Scope(tuple(source.id for source in engine.sources("documents")))
        hits = engine.search(SearchQuestion(text, scope, limit=50), call.cancellation)
        return list(dict.fromkeys(hit.document for hit in hits))

    def _is_served(self, tool: str) -> bool:
        try:
            self.services.find_tool(tool)
        except ToolNotFound:
            return False
        return True


def toolset(services: Services) -> Toolset:
    """What the entry point names: two tools over one table."""
    bookmarks = Bookmarks(services)
    path = {**TEXT, "description": "A file of the project"}
    why = {**TEXT, "description": "What it is worth reading for"}
    about = {**TEXT, "description": "Only those about this, best first"}
    add = Tool(
        name="add_bookmark",
        description="Keep a file to find it again",
        input_schema={"type": "object", "properties": {"path": path, "why": why}, "required": ["path"]},
        run=bookmarks.add,
        effects=Effects(writes=True),
    )
    find = Tool(
        name="find_bookmarks",
        description="The files that were kept, all or those about something",
        input_schema={"type": "object", "properties": {"about": about}},
        run=bookmarks.find,
    )
    return Toolset(name="bookmarks", tools=(add, find), schema=SCHEMA, about="bookmarks in it")
