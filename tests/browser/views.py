"""The views of the page, by where they are, on the orchard."""

VIEWS = {
    "home": "/",
    "search": "/search?q=how+are+refunds+paid",
    "documents": "/documents",
    "collection": "/documents/docs",
    "document": "/documents/docs/-/guides/paying.md",
    "cited": "/code/docs/guides/paying.md?line=5-7",
    "map": "/code",
    "folder": "/code/src",
    "file": "/code/src/orders.py?line=6-10",
    "symbol": "/code/src/orders.py?symbol=OrderRepository.find",
    "decisions": "/decisions",
    "decision": "/decisions/0003",
    "patterns": "/patterns",
    "pattern": "/patterns/repository",
    "tasks": "/tasks",
    "task": "/tasks/1",
    "findings": "/findings",
    "now": "/now",
    "totals": "/now?show=calls",
    "connect": "/connect",
}
