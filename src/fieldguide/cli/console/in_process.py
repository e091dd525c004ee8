"""The task and document tools as plain functions, for a program in the same process."""

import json
import logging
import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from typing import Any, Self, cast

from fieldguide.app import App, build_app
from fieldguide.settings.config import read_settings
from fieldguide.spine.tool import Tool
from fieldguide.spine.toolset import FailedCall, Fault
from fieldguide.storage.database import Database, Transaction
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Failure, FieldguideError, NotFound, ToolNotFound

DOCUMENTS_TOOLSET = "documents"
TASKS_TOOLSET = "tasks"

Answered = dict[str, Any]

log = logging.getLogger("fieldguide.in_process")


def write_to_log(lines: list[str]) -> None:
    """What a server would write to stderr goes to `logging`: a host process has its own way with such lines."""
    for line in lines:
        notice = json.loads(line).get("notice")
        log.log(logging.INFO if notice is None else logging.WARNING, "%s", to_visible_line(notice or line))


def open_documents(*, project: str | os.PathLike[str]) -> "DocumentFunctions":
    """The documents of a project, with its index brought up to date first."""
    given = {"project": os.fspath(project), "toolsets": (DOCUMENTS_TOOLSET,)}
    documents = DocumentFunctions(build_app(read_settings(given, os.environ), write_journal=write_to_log))
    documents.refresh()
    return documents


class AppFunctions:
    """Functions of an app, whose database is open until they are closed."""

    def __init__(self, app: App) -> None:
        self._app = app

    def close(self) -> None:
        """Give back the database's connections; a later call would open new ones."""
        self._app.executor.journal.flush()
        self._app.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class DocumentFunctions(AppFunctions):
    """The eight document tools; every function gives the value that the tool's text holds on the wire.

    What is not there is None where one thing was asked for, and NotFound where a collection to list or to look in is
    missing. They may be called from any thread.
    """

    def close(self) -> None:
        """Give back the connections of the index too."""
        self._app.engine().database.close()
        super().close()

    def refresh(self) -> Answered:
        """Bring the index up to date with the files on this machine; what was done, by collection."""
        done: Answered = {}
        for toolset in self._app.toolsets:
            if toolset.upkeep is not None:
                done.update(toolset.upkeep.refresh(lambda done, total, name: None))
        return done

    def listCollections(self) -> list[Answered]:  # noqa: N802  the specification's names, from here on
        """Every collection that is in the index."""
        return _items(self._run("documents_list_collections"))

    def listDocuments(self, collection: str, *, limit: int = 100, offset: int = 0) -> Answered:  # noqa: N802
        """A page of a collection's documents."""
        asked = {"collection": collection, "limit": limit, "offset": offset}
        return cast("Answered", self._run("documents_list_documents", **asked))

    def getDocument(self, collection: str, document: str) -> Answered | None:  # noqa: N802
        """The whole text of a document."""
        return self._found("documents_get_document", collection=collection, document=document)

    def getOutline(self, collection: str, document: str, maxDepth: int = 3) -> Answered | None:  # noqa: N802, N803
        """The headings of a document."""
        return self._found("documents_get_outline", collection=collection, document=document, maxDepth=maxDepth)

    def getSection(  # noqa: N802
        self,
        collection: str,
        document: str,
        section: str,
        includeSubsections: bool = True,  # noqa: N803
    ) -> Answered | None:
        """A section of a document by its heading, by `Above > Heading`, or by `#anchor`."""
        asked = {"collection": collection, "document": document, "section": section}
        return self._found("documents_get_section", **asked, includeSubsections=includeSubsections)

    def search(
        self,
        query: str,
        *,
        collections: Sequence[str] | None = None,
        limit: int = 10,
        maxDistance: float | None = None,  # noqa: N803
        hybridSearch: bool = True,  # noqa: N803
    ) -> list[Answered]:
        """The chunks that answer a query best."""
        wanted = {"collections": None if collections is None else list(collections), "maxDistance": maxDistance}
        asked = {"query": query, "limit": limit, "hybridSearch": hybridSearch}
        return _items(self._run("documents_search", **asked, **wanted))

    def searchBatch(  # noqa: N802
        self,
        queries: Sequence[str | Mapping[str, Any]],
        *,
        limit: int = 5,
        maxDistance: float | None = None,  # noqa: N803
        hybridSearch: bool = True,  # noqa: N803
    ) -> Answered:
        """The chunks that answer each query best; a query is a text, or `{"query", "collections"}`."""
        asked = [{"query": each} if isinstance(each, str) else dict(each) for each in queries]
        given = {"limit": limit, "maxDistance": maxDistance, "hybridSearch": hybridSearch}
        return cast("Answered", self._run("documents_search_batch", queries=asked, **given))

    def findRelated(  # noqa: N802
        self,
        collection: str,
        document: str,
        *,
        chunk: str | None = None,
        limit: int = 5,
        sameDocument: bool = False,  # noqa: N803
        allCollections: bool = False,  # noqa: N803
    ) -> Answered:
        """What is most like a document, or like a piece of text in it."""
        asked = {"collection": collection, "document": document, "chunk": chunk, "limit": limit}
        where = {"sameDocument": sameDocument, "allCollections": allCollections}
        return cast("Answered", self._run("documents_find_related", **asked, **where))

    def _found(self, tool: str, **arguments: Any) -> Answered | None:
        try:
            return cast("Answered", self._run(tool, **arguments))
        except NotFound:
            return None

    def _run(self, name: str, **arguments: Any) -> Any:
        given = {key: value for key, value in arguments.items() if value is not None}
        return self._app.executor.call(name, given).value


def _items(answered: Any) -> list[Answered]:
    """A list of items; the sentence that a tool says instead of an empty one is for models."""
    return cast("list[Answered]", answered) if isinstance(answered, list) else []


class TaskOwnerRepository:
    """The users that have tasks in a database; never the tasks themselves, and none of a service's projects."""

    def __init__(self, session: Transaction) -> None:
        self._session = session

    def users(self) -> list[str]:
        """Every user with a task, by name."""
        rows = self._session.fetch_all("SELECT DISTINCT user_id FROM task WHERE namespace = '' ORDER BY user_id", {})
        return [row["user_id"] for row in rows]

    def owner(self, task_id: int) -> str | None:
        """Whose task that is."""
        statement = "SELECT user_id FROM task WHERE namespace = '' AND id = :task_id"
        row = self._session.fetch_one(statement, {"task_id": task_id})
        return None if row is None else str(row["user_id"])


def list_task_users(*, project: str | os.PathLike[str]) -> list[str]:
    """The users that have tasks in the database of a project on this machine."""
    with closing(_open_tasks_database(project)) as database, database.reading() as session:
        return TaskOwnerRepository(session).users()


def find_task_owner(task_id: int, *, project: str | os.PathLike[str]) -> str | None:
    """Whose task that is, in the database of a project on this machine."""
    with closing(_open_tasks_database(project)) as database, database.reading() as session:
        return TaskOwnerRepository(session).owner(task_id)


def _open_tasks_database(project: str | os.PathLike[str]) -> Database:
    settings = read_settings({"project": os.fspath(project), "toolsets": (TASKS_TOOLSET,)}, os.environ)
    return build_app(settings, write_journal=write_to_log).database


def open_tasks(user_id: str, *, project: str | os.PathLike[str], database: str | None) -> "TaskFunctions":
    """The tasks of one user in the database that a server of this project would use; a user without a name is none."""
    if not isinstance(user_id, str) or not user_id.strip() or "\0" in user_id:  # pyright: ignore[reportUnnecessaryIsInstance]  # a border
        raise ValueError("A user's tasks need a user: user_id must be a text that is not empty.")
    given = {"project": os.fspath(project), "database": database, "user": user_id, "toolsets": (TASKS_TOOLSET,)}
    return TaskFunctions(build_app(read_settings(given, os.environ), write_journal=write_to_log))


class TaskFunctions(AppFunctions):
    """The five task tools without `user_id`: it is bound, and no argument can change it.

    Every function answers with the JSON value that the tool's text holds on the wire, an error too: `{"error": …}`.
    They may be called from any thread, also one that runs an event loop, which waits as for any plain function.
    """

    def add_task(self, title: str, description: str | None = None) -> Answered:
        """Create a new task for the user."""
        return self._named("add_task", title=title, description=description)

    def list_tasks(self, status: str = "all") -> list[Answered] | Answered:
        """Retrieve user's tasks with optional status filter: all, pending or completed."""
        return cast("list[Answered] | Answered", self.call("list_tasks", {"status": status}))

    def complete_task(self, task_id: int) -> Answered:
        """Mark a task as completed."""
        return self._named("complete_task", task_id=task_id)

    def delete_task(self, task_id: int) -> Answered:
        """Permanently remove a task."""
        return self._named("delete_task", task_id=task_id)

    def update_task(self, task_id: int, title: str | None = None, description: str | None = None) -> Answered:
        """Modify a task's title or description."""
        return self._named("update_task", task_id=task_id, title=title, description=description)

    def openai_tools(self) -> list[dict[str, Any]]:
        """The tools as OpenAI's chat completions take them in `tools`."""
        return [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": self._schema(tool)},
            }
            for tool in self._app.executor.registry.all()
        ]

    def anthropic_tools(self) -> list[dict[str, Any]]:
        """The tools as Anthropic's messages take them in `tools`."""
        return [
            {"name": tool.name, "description": tool.description, "input_schema": self._schema(tool)}
            for tool in self._app.executor.registry.all()
        ]

    def call(self, name: str, arguments: Mapping[str, Any] | str) -> Any:
        """Run what a model asked for: arguments are Anthropic's object or OpenAI's JSON text; errors are answers."""
        try:
            given = _parsed(arguments)
            tool = self._app.executor.registry.find(name)
        except ValueError as error:
            return {"error": str(error)}
        except ToolNotFound as error:
            return {"error": error.message, **error.details}
        try:
            return self._app.executor.call(tool.name, given).value
        except FieldguideError as error:
            if isinstance(error, Failure):
                log.error("%s: %s (%s)", tool.name, error.message, repr(error.__cause__))  # noqa: TRY400 -- one line
            (toolset,) = self._app.toolsets
            told = toolset.dialect.tell(error, FailedCall(tool, given, is_modern=True))
            return {"error": told.message} if isinstance(told, Fault) else json.loads(told.text)

    def _named(self, name: str, **arguments: Any) -> Answered:
        given = {key: value for key, value in arguments.items() if value is not None}
        return cast("Answered", self.call(name, given))

    def _schema(self, tool: Tool) -> dict[str, Any]:
        """A copy, because frameworks write into the schemas that they are given."""
        return deepcopy(dict(self._app.executor.identity.shown_schema(tool, None)))


def _parsed(arguments: Any) -> Mapping[str, Any]:
    """The arguments as an object; ValueError with a sentence when they are none. No text at all is no argument."""
    value: Any = arguments
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments or "{}")
        except (ValueError, RecursionError) as error:
            raise ValueError(f"The arguments are not JSON: {error}.") from error
    if not isinstance(value, Mapping):
        raise ValueError("The arguments must be a JSON object.")  # noqa: TRY004  one kind of error: words for the model
    return cast("Mapping[str, Any]", value)
