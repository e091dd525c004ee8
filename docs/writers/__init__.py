"""One module per page of `docs/reference/`, each with a function `page` that gives its Markdown."""
