"""What a caller's path may name, in the words of the specification; nothing is opened by such a path."""

import posixpath

from fieldguide.errors import InvalidArguments
from fieldguide.toolsets.architecture.roots import RESOURCES


def check_resource_path(path: str) -> None:
    """Refuse a path that is not below the resources once it is cleaned, or that has `..` anywhere."""
    if not posixpath.normpath(path).startswith(f"{RESOURCES}/"):
        raise InvalidArguments(f"Path must be within {RESOURCES}/ directory")
    if ".." in path:
        raise InvalidArguments("Path traversal not allowed")
