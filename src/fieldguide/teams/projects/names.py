"""What projects, branches and principals may be called: a name stands in a path, in a log and on a terminal."""

import unicodedata

from fieldguide import linear_regex as re
from fieldguide.errors import Misconfiguration, shortened

LONGEST_NAME = 64
LONGEST_PRINCIPAL = 255
LONGEST_BRANCH = 200
NAME = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*")
NOT_IN_A_BRANCH = frozenset(" ~^:?*[\\")


def checked_name(name: str) -> str:
    """A name for a project that is safe in a path; a sentence says why another is not."""
    if len(name) > LONGEST_NAME or not NAME.fullmatch(name):
        raise Misconfiguration(
            f"{shortened(name)!r} can't be the name of a project. A name has up to {LONGEST_NAME} letters a-z and "
            "digits, with single `-`, `_` or `.` between them, such as shop or shop-api."
        )
    return name


def folded_name(name: str) -> str:
    """A name as two of them are compared: without case."""
    return name.lower()


def checked_principal(principal: str) -> str:
    """Whom a grant is for: the user of a token, or the subject of a JWT, letter for letter."""
    is_visible = all(unicodedata.category(each)[0] not in "CZ" or each == " " for each in principal)
    if not principal.strip() or principal != principal.strip() or len(principal) > LONGEST_PRINCIPAL or not is_visible:
        raise Misconfiguration(
            f"{shortened(principal)!r} can't be a principal. It is the user of a token or the subject of a JWT: up to "
            f"{LONGEST_PRINCIPAL} characters that can be seen."
        )
    return principal


def checked_branch(branch: str) -> str:
    """The name of a branch that git can't take for anything else."""
    is_odd = any(each <= " " or each == "\x7f" or each in NOT_IN_A_BRANCH for each in branch)
    is_misread = branch.startswith(("-", "/", ".")) or branch.endswith(("/", ".", ".lock"))
    if not branch or len(branch) > LONGEST_BRANCH or is_odd or is_misread or _has_odd_part(branch):
        raise Misconfiguration(f"{shortened(branch)!r} can't be the name of a branch.")
    return branch


def _has_odd_part(branch: str) -> bool:
    return branch == "@" or any(each in branch for each in ("..", "//", "@{", "/."))
