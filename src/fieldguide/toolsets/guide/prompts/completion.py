"""The project's paths for the argument of a prompt that a person has begun to type."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from fieldguide.project_text.files import project_files
from fieldguide.toolset import Services

MOST_PATHS = 1_000


def completed(services: Services, reference: Mapping[str, Any], argument: str, prefix: str) -> Sequence[str] | None:
    """The paths that begin like this, then those whose file name does; None for what is not the path of a prompt."""
    if reference.get("type") != "ref/prompt" or reference.get("name") != "review-change" or argument != "path":
        return None
    begun = prefix.casefold()
    refuses = services.project.sensitive.refuses
    paths = [path for path in project_files(services.project).paths if not refuses(tuple(path.split("/")))]
    whole = [path for path in paths if path.casefold().startswith(begun)]
    named = [path for path in paths if path.rpartition("/")[2].casefold().startswith(begun)]
    return list(islice(dict.fromkeys([*whole, *named]), MOST_PATHS))
