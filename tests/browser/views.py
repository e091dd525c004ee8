"""The views of the page, by where they are, on the orchard."""

VIEWS = {
    "home": "/",
    "search": "/search?q=how+are+refunds+paid",
    "document": "/source?path=docs/guides/paying.md&line=5-7",
    "code": "/source?path=src/orders.py&line=6-10",
    "calls": "/calls",
    "connect": "/connect",
}
