"""Which files a collection takes: globs with `**`, `*`, `?`, `[…]` and `{a,b}`; one that begins with `!` takes away."""

import re
from collections.abc import Callable, Sequence

PIECE = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^\]/]+\]|\{[^{}/]*\}|.", re.DOTALL)


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a relative path is wanted: by some pattern, and by none that excludes it."""
    wanted = [re.compile(translated(each)) for each in patterns if not each.startswith("!")]
    unwanted = [re.compile(translated(each[1:])) for each in patterns if each.startswith("!")]

    def matches(path: str) -> bool:
        return any(each.fullmatch(path) for each in wanted) and not any(each.fullmatch(path) for each in unwanted)

    return matches


def translated(pattern: str) -> str:
    """A glob as a regular expression; every part of it is bounded by `/`, so none can take long."""
    return "".join(_regular(piece) for piece in PIECE.findall(pattern.removeprefix("./")))


def _regular(piece: str) -> str:
    match piece[0]:
        case "*" if piece == "**/":
            return "(?:[^/]+/)*"
        case "*":
            return ".*" if piece == "**" else "[^/]*"
        case "?":
            return "[^/]"
        case "[" if len(piece) > 1:
            inside = piece[1:-1].replace("\\", "\\\\").replace("[", "\\[")
            return f"[^/{inside[1:]}]" if inside.startswith("!") else f"[{inside.replace('^', chr(92) + '^')}]"
        case "{" if len(piece) > 1:
            return "(?:" + "|".join(translated(each) for each in piece[1:-1].split(",")) + ")"
        case _:
            return re.escape(piece)
