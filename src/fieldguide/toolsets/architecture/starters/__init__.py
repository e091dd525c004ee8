"""Pattern documents to begin with: each has rules for Python, TypeScript, Go and Java that a machine can check."""

from importlib.resources import files

SUFFIX = ".md"


def names() -> tuple[str, ...]:
    """The names of the documents, sorted."""
    listed = (each.name for each in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in listed if name.endswith(SUFFIX)))


def read(name: str) -> str:
    """The text of one of them; a name that `names` does not list is a KeyError."""
    if name not in names():
        raise KeyError(name)
    return files(__name__).joinpath(f"{name}{SUFFIX}").read_text(encoding="utf-8")
