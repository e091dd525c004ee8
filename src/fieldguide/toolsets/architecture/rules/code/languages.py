"""Which language a rule is for."""

from collections.abc import Iterable

SIBLINGS = {
    "tsx": ("tsx", "typescript"),
    "typescript": ("typescript", "tsx"),
    "javascript": ("javascript", "typescript"),
}


def is_for(languages: Iterable[str], language: str | None) -> bool:
    """Whether something for these languages, or for all, holds for one."""
    wanted = tuple(languages)
    return not wanted or any(each in wanted for each in SIBLINGS.get(language or "", (language,)))
