"""Whether a file is a test, or lies among what tests are made of: told by its path, more widely than its role."""

from functools import lru_cache

from fieldguide import linear_regex as re
from fieldguide.source_code.roles import TESTS, role_of

AMONG_TESTS = re.compile(r"(?i)(?:[\w.]+[-_.])?(?:tests?|testing|specs?)(?:[-_.][\w.]+)?")
REMEMBERED = 20_000


@lru_cache(maxsize=REMEMBERED)
def is_test(path: str) -> bool:
    """Whether a path says so: by the file's name, or by a folder such as `integration-test`."""
    return role_of(path) == TESTS or any(AMONG_TESTS.fullmatch(folder) for folder in path.split("/")[:-1])
