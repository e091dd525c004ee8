"""Which files are documents, and of which format, by their names."""

import os

MARKDOWN, MDX, RST, ASCIIDOC, TEXT = "markdown", "mdx", "rst", "asciidoc", "text"
HTML, NOTEBOOK, MAN, PDF, DOCX = "html", "notebook", "man", "pdf", "docx"

SUFFIXES = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdc"), MARKDOWN),
    ".mdx": MDX,
    **dict.fromkeys((".rst", ".rest"), RST),
    **dict.fromkeys((".adoc", ".asciidoc"), ASCIIDOC),
    **dict.fromkeys((".txt", ".text"), TEXT),
    **dict.fromkeys((".html", ".htm", ".xhtml"), HTML),
    ".ipynb": NOTEBOOK,
    **dict.fromkeys((".man", ".mdoc", *(f".{section}" for section in range(1, 10))), MAN),
    ".pdf": PDF,
    ".docx": DOCX,
}

GLOBS = tuple(f"**/*{suffix}" for suffix in SUFFIXES)
"""What a folder of documents is searched for."""


def format_of(path: str) -> str | None:
    """The format that a file's name tells; None where it is no document."""
    return SUFFIXES.get(os.path.splitext(path)[1].lower())


def is_extracted(path: str) -> bool:
    """Whether the lines of a document are not those of its file, which is no text, but of what is taken out of it."""
    return format_of(path) in (PDF, DOCX)
