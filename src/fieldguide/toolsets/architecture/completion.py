"""Names of documents and languages for an argument that a person has begun to type."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from fieldguide.toolsets.architecture.library import Document, Library
from fieldguide.toolsets.architecture.resources import SCHEME
from fieldguide.toolsets.architecture.roots import ADR, GUIDELINES, PATTERNS

PROMPT_ARGUMENTS = {"pattern_name": PATTERNS, "guideline_name": GUIDELINES, "adr_id": ADR}


def completed(library: Library, reference: Mapping[str, Any], argument: str, prefix: str) -> Sequence[str] | None:
    """The names that begin like `prefix`, whatever the case; None when the reference is not ours."""
    category = _category(reference, argument)
    if category is None:
        return None
    names = {_shown(document) for document in library.shelf().of(category)}
    return sorted(name for name in names if name.casefold().startswith(prefix.casefold()))


def _category(reference: Mapping[str, Any], argument: str) -> str | None:
    if reference.get("type") == "ref/prompt":
        return PROMPT_ARGUMENTS.get(argument)
    address = str(reference.get("uri", ""))
    if reference.get("type") == "ref/resource" and address.startswith(f"{SCHEME}://"):
        category = address.removeprefix(f"{SCHEME}://").partition("/")[0]
        return category if category in PROMPT_ARGUMENTS.values() else None
    return None


def _shown(document: Document) -> str:
    """What stands for a document in its address: its name, or the number of a decision."""
    return unquote(document.uri.removeprefix(f"{SCHEME}://{document.category}/"))
