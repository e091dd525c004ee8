"""What is asked: of every tool several sets of arguments, of every command that only reads several sets of words."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

CODE_SUFFIXES = (".py", ".ts", ".tsx", ".js", ".go", ".java", ".rs", ".cs", ".c", ".kt", ".php")
DOCUMENT_SUFFIXES = (".md", ".rst", ".adoc")
DEFINITION = re.compile(r"^\s*(?:export )?(?:def|class|function|func|interface|fn|struct)\s+(\w{4,})", re.MULTILINE)
TWO_HUNKS = """\
diff --git a/{0} b/{0}
--- a/{0}
+++ b/{0}
@@ -1,1 +1,1 @@
-old
+new
"""
DRIVER_IN_SERVICE = "import sqlite3\n\nclass Report(BaseRepository):\n    def run(self):\n        print('run')\n"


class Subject(NamedTuple):
    """What a project can be asked about."""

    queries: tuple[str, ...]
    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    patterns: tuple[str, ...] = ()
    grep_within: str = "**"
    """Where text is searched for: in a large tree, the files that fill a short list first differ from run to run."""


SHOP = Subject(
    queries=(
        "cancel an order",
        "Why are orders kept in PostgreSQL?",
        "price_of",
        "mail retry attempts",
        "kubernetes ingress controller",
    ),
    paths=("shop/orders.py", "shop/prices.py", "tests/test_orders.py", "docs/guide.md", "shop/legacy_mail.py", "shop"),
    symbols=("OrderBook", "OrderBook.place_order", "price_of", "MAX_LINES", "send_mail", "discount_for"),
    patterns=("repository-pattern", "logging"),
)
DEPOT = Subject(
    queries=("shelf is full", "Why is the server written in Go?", "Depot.Store", "opening hours on holidays", "driver"),
    paths=("web/shelf.ts", "server/storage/depot.go", "docs/manual.adoc", "office/index.php", "android", "README.rst"),
    symbols=("Shelf", "Shelf.put", "NewDepot", "Label", "Person.greet", "open_lock", "Invoice", "/shelves", "Tour"),
)
BARE = Subject(
    queries=("double a value", "anything"),
    paths=("tool.py", "helper.py", "data.csv"),
    symbols=("double", "run"),
)
SUBJECTS = {"shop": SHOP, "depot": DEPOT, "bare": BARE}


def sample_subject(checkout: Path) -> Subject:
    """Paths, symbols and questions of any repository, the same ones for the same commit."""
    listed = _git(checkout, "ls-files").splitlines()
    subjects = _git(checkout, "log", "--no-merges", "--max-count=200", "--format=%s").splitlines()
    code = _spread([path for path in listed if path.endswith(CODE_SUFFIXES)], 6)
    symbols: list[str] = []
    for path in code:
        symbols += DEFINITION.findall((checkout / path).read_text("utf-8", "replace"))[:2]
    return Subject(
        queries=(*_spread(subjects, 6), "How is it installed?"),
        paths=(*code, *_spread([path for path in listed if path.endswith(DOCUMENT_SUFFIXES)], 3)),
        symbols=tuple(dict.fromkeys(symbols))[:8],
        grep_within=code[0] if code else "**",
    )


def guide_calls(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of the guide's tools that read."""
    for query in subject.queries:
        yield "guide_search", {"query": query}
        yield "guide_brief", {"task": query, "budget": 800}
    query = subject.queries[0]
    for kind in ("code", "test", "document", "decision", "pattern", "finding", "task", "no-such-kind"):
        yield "guide_search", {"query": query, "kinds": [kind], "limit": 3}
    yield "guide_brief", {"task": query}
    yield "guide_brief", {"task": query, "budget": 1200}
    yield "guide_brief", {"task": " "}
    for path in (*subject.paths, "no/such/file.py", "../outside.py", "/etc/passwd", TWO_HUNKS.format(subject.paths[0])):
        yield "guide_governs", {"path": path}
    for path in subject.paths:
        yield "guide_open", {"citation": path, "budget": 600}
        yield "guide_open", {"citation": f"{path}#L3-L9", "around": "section"}
        yield "guide_open", {"citation": f"{path}#L3-L4@00000000", "around": "symbol"}
    yield "guide_open", {"citation": "no/such/file.py#L1"}
    yield "guide_open", {"citation": f"{subject.paths[0]}\n{subject.paths[1]}#L1-L2"}
    for name in (*subject.symbols, "NoSuchName", "a b"):
        yield "guide_symbol", {"name": name}
        yield "guide_open", {"citation": f"symbol:{name}"}
    yield "guide_symbol", {"name": subject.symbols[0], "path": subject.paths[0], "budget": 300}
    yield "guide_symbol", {"name": subject.symbols[0], "path": "no/such/folder"}


def context_calls(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of the context's tools; fewer than a minute allows."""
    for query in subject.queries[:5]:
        yield "context_search", {"query": query}
    for kind in ("pattern", "rule", "decision", "issue"):
        yield "context_search", {"query": subject.queries[0], "type": kind, "limit": 2}
    yield "context_search", {"query": subject.queries[0], "module": "shop"}
    for pattern in ("order", "class \\w+", "def (\\w+)\\(", "TODO", "(unclosed", "(a+)+$", "no such text at all"):
        yield "grep_codebase", {"pattern": pattern, "filePattern": subject.grep_within}
    if subject.grep_within == "**":
        yield "grep_codebase", {"pattern": "order"}
        yield "grep_codebase", {"pattern": "ORDER", "caseSensitive": True, "limit": 3}
        yield "grep_codebase", {"pattern": "the", "filePattern": "**/*.md", "limit": 5}
    yield "grep_codebase", {"pattern": "the", "filePattern": "../**"}
    for path in (*subject.paths, "no/such/file.py", "../outside.py", ".env", ".git/config"):
        yield "read_file", {"path": path}
    yield "read_file", {"path": subject.paths[0], "includeDeps": True}
    yield "read_file", {"path": subject.paths[0], "includeDeps": True, "maxDepth": 0}


def architecture_calls(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of the architecture's tools."""
    for query in subject.queries:
        yield "search-architecture", {"query": query}
    for kind in ("guidelines", "patterns", "adr"):
        yield "search-architecture", {"query": subject.queries[1], "resource_type": kind, "max_results": 2}
    for decision, context in (
        ("Keep orders in MongoDB instead of PostgreSQL", "Orders need joins"),
        ("Use PostgreSQL for orders", ""),
        ("Publish events through Kafka", "Billing wants events"),
        ("Write the server in Java", "It must start fast"),
        ("Paint the office green", ""),
    ):
        yield "check-adr-alignment", {"decision_description": decision}
        if context:
            yield "check-adr-alignment", {"decision_description": decision, "decision_context": context}
    for pattern in (*subject.patterns, "no-such-pattern"):
        yield "validate-against-pattern", {"code": DRIVER_IN_SERVICE, "pattern_name": pattern}
        yield "validate-against-pattern", {"code": DRIVER_IN_SERVICE, "pattern_name": pattern, "language": "python"}
        yield "validate-against-pattern", {"code": "x = 1\n", "pattern_name": pattern, "language": "cobol"}


def directive_calls() -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of the directive's tools, in both spellings."""
    yield "directive/files.list", {}
    yield "directive_files_list", {}
    for template in ("spec", "impact", "tdr"):
        yield f"directive/{template}.template", {}
    for path in ("directive/agent_context.md", "directive/no-such.md", "README.md", "directive/../README.md"):
        yield "directive/file.get", {"path": path}
    yield "directive/no.such", {}
    yield "no_such_tool", {}


def document_calls(subject: Subject, collections: dict[str, list[str]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of the documents' tools, for what the lists of collections and documents say."""
    for query in subject.queries:
        yield "documents_search", {"query": query, "limit": 4}
    query = subject.queries[0]
    yield "documents_search", {"query": query, "hybridSearch": False, "maxDistance": 0.9}
    yield "documents_search", {"query": query, "rerank": True, "limit": 3}
    yield "documents_search", {"query": query, "collections": ["no-such-collection"]}
    yield "documents_search", {"query": ""}
    batch = [{"query": each} for each in subject.queries]
    yield "documents_search_batch", {"queries": batch, "limit": 2}
    yield "documents_search_batch", {"queries": []}
    for collection, documents in [*collections.items(), ("no-such-collection", ["a.md"])]:
        yield "documents_list_documents", {"collection": collection, "limit": 2, "offset": 1}
        for document in (*_spread(documents, 6), "no-such-document.md"):
            named = {"collection": collection, "document": document}
            yield "documents_get_document", named
            yield "documents_get_outline", named
            yield "documents_get_outline", {**named, "maxDepth": 1}
            yield "documents_get_section", {**named, "section": "Decision"}
            yield "documents_get_section", {**named, "section": "Orders", "includeSubsections": False}
            yield "documents_find_related", {**named, "limit": 2}
        if documents:
            named = {"collection": collection, "document": documents[0]}
            yield "documents_find_related", {**named, "chunk": "orders in a database", "sameDocument": True}


def writing_calls(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls that write, in an order in which each has something to do; the last of all calls."""
    for user in ("ann", "bob"):
        yield "add_task", {"user_id": user, "title": "Feed the fox", "description": "Twice"}
        yield "add_task", {"user_id": user, "title": "  Sweep  "}
    yield "list_tasks", {"user_id": "ann"}
    yield "complete_task", {"user_id": "ann", "task_id": 1}
    yield "complete_task", {"user_id": "ann", "task_id": 1}
    yield "update_task", {"user_id": "ann", "task_id": 2, "title": "Sweep the floor"}
    yield "update_task", {"user_id": "ann", "task_id": 2}
    for status in ("all", "pending", "completed"):
        yield "list_tasks", {"user_id": "ann", "status": status}
    yield "delete_task", {"user_id": "ann", "task_id": 2}
    for tool in ("complete_task", "delete_task", "update_task"):
        yield tool, {"user_id": "ann", "task_id": 999, **({"title": "x"} if tool == "update_task" else {})}
    yield "list_tasks", {"user_id": "nobody"}
    yield "add_task", {"user_id": " ", "title": "x"}
    yield "add_task", {"user_id": "ann", "title": "   "}
    content = "A shipped order can't be cancelled."
    yield "guide_record", {"type": "rule", "content": content}
    yield "guide_record", {"type": "rule", "content": content}
    evidence = {"files": [subject.paths[0], "no/such/file.py"], "commit": "HEAD"}
    yield "guide_record", {"type": "issue", "content": "Seen twice.", "module": "shop", "evidence": evidence}
    yield "guide_record", {"type": "decision", "content": "password = 'hunter2-0123456789abcdef'"}


def wrong_calls(descriptor: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Arguments that a tool's schema forbids: missing, unknown, of the wrong type, too long, outside of a list."""
    schema = descriptor["inputSchema"]
    required = {name: _plausible(schema["properties"][name]) for name in schema.get("required", [])}
    if required:
        yield {}
    yield {**required, "no_such_argument": 1}
    for name, kind in schema.get("properties", {}).items():
        yield {**required, name: 5 if kind.get("type") == "string" else "five"}
        yield {**required, name: None}
        if "maxLength" in kind:
            yield {**required, name: "x" * (kind["maxLength"] + 1)}
        if "enum" in kind:
            yield {**required, name: "no-such-value"}
        if "maximum" in kind:
            yield {**required, name: kind["maximum"] + 1}


def _plausible(kind: dict[str, Any]) -> Any:
    if "enum" in kind:
        return kind["enum"][0]
    return {"string": "order", "integer": 1, "number": 1, "array": [{"query": "order"}]}[kind["type"]]


def setup_commands() -> list[list[str]]:
    """Commands that give a project something to tell; their output is recorded too."""
    return [
        ["index"],
        ["findings", "add", "--type", "rule", "--module", "shop", "Prices are integers in cents."],
        ["tasks", "add", "Count the foxes", "--user", "ann", "--description", "Before noon"],
        ["tasks", "add", "Order hay", "--user", "bob", "--json"],
        ["tasks", "done", "1", "--user", "bob"],
        ["index"],
    ]


def reading_commands(subject: Subject) -> list[list[str]]:
    """Commands that write nothing."""
    query, path, symbol = subject.queries[0], subject.paths[0], subject.symbols[0]
    return [
        ["status"],
        ["status", "--json"],
        ["call"],
        ["call", "--profile", "lean", "--tool-names", "safe"],
        ["doctor"],
        ["doctor", "--json"],
        ["find", query],
        ["find", query, "--kind", "code", "--limit", "2", "--json"],
        ["find", query],
        ["find", query, "--kind", "decisions", "--json"],
        ["find", query, "--kind", "findings"],
        ["brief", query, "--budget", "600"],
        ["brief", query, "--json", "--budget", "300"],
        ["governs", path],
        ["governs", path, "--json"],
        ["governs", "--diff"],
        ["open", path, "--budget", "300"],
        ["open", "no/such/file.py"],
        ["symbol", symbol],
        ["symbol", "NoSuchName"],
        ["symbol", symbol, "--json"],
        ["stale"],
        ["stale", "--json"],
        ["stale", "--sarif", "-"],
        ["check"],
        ["check", "--format", "json"],
        ["check", "--format", "sarif", "--fail-on", "never"],
        ["check", "--format", "github", "--only-declared"],
        ["check", "no/such/file.py"],
        ["check", "--changed"],
        ["status", "--overview"],
        ["status", "--stats"],
        ["status", "--sessions"],
        ["status", "--module", "shop"],
        ["findings", "list"],
        ["findings", "list", "--json", "--type", "decision"],
        ["tasks", "list"],
        ["tasks", "list", "--json", "--user", "ann"],
        ["documents", "list"],
        ["documents", "list", "--json"],
        ["patterns", "test"],
        ["patterns", "explain"],
        ["patterns", "explain", "--json"],
        ["init", "directive", "--bundle", "spec"],
        ["init", "directive", "--bundle", "no-such"],
        ["index", "models"],
        ["doctor", "trust"],
        ["doctor", "trust", "--json"],
        ["data", "where"],
        ["data", "where", "--all"],
        ["init", "--json"],
        ["install", "--print", "--client", "cursor"],
        ["install", "--remove", "--print"],
        ["call", "guide_search", f"query={query}"],
        ["call", "guide_search", "--json", "{}"],
        ["call", "no_such_tool"],
        ["call", "list_tasks", "not json"],
    ]


def general_commands() -> list[list[str]]:
    """Commands that no project is needed for."""
    return [
        [],
        ["--version"],
        ["no-such-command"],
        ["find"],
        ["find", "--kind", "nothing", "x"],
        ["patterns", "list"],
        ["patterns", "list", "--json"],
        ["patterns", "show", "no-such-pattern"],
        ["team", "token", "list"],
        ["team", "projects", "list"],
        ["team", "audit"],
        ["data", "prune"],
        ["status", "--project", "/no/such/folder"],
    ]


def _spread(items: list[str], count: int) -> list[str]:
    """So many items, evenly spread over a list."""
    if len(items) <= count:
        return items
    return [items[number * len(items) // count] for number in range(count)]


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)  # noqa: S607
    return done.stdout
