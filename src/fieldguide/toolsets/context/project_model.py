"""What a project says of itself in `.context/project.yaml`: its modules, their key files, patterns and rules."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import NotFound, Refusal, Unreadable
from fieldguide.formats import Malformed
from fieldguide.formats.yaml_text import read_yaml

PATH = ".context/project.yaml"
LARGEST_BYTES = 1 << 18
KEPT_MODELS = 4


class Place(NamedTuple):
    """Which module a file belongs to, and its role there; None where the model does not say."""

    module: str | None
    role: str | None


class ProjectModel:
    """The model as it is written; what is missing in it is simply not known."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = content
        written = _mapping(content.get("modules")).items()
        self.modules: dict[str, Mapping[str, Any]] = {str(name): _mapping(value) for name, value in written}

    def place_of(self, path: str) -> Place:
        """Where a file belongs: the module that names it, or the one with a key file in the nearest folder above."""
        nearest = Place(None, None)
        depth = 0
        for name, module in self.modules.items():
            for file in _mappings(module.get("keyFiles")):
                key = str(file.get("path", ""))
                if key == path:
                    return Place(name, _text(file.get("role")))
                folder = key.rpartition("/")[0]
                if folder and path.startswith(f"{folder}/") and len(folder) > depth:
                    nearest, depth = Place(name, None), len(folder)
        return nearest


def read_model(project: ConfinedFolder) -> ProjectModel:
    """The project's model; an empty one where there is none. A broken file is refused with its reason."""
    try:
        content = project.read(PATH, limit_bytes=LARGEST_BYTES)
    except NotFound:
        return ProjectModel({})
    return _model(content)


@lru_cache(maxsize=KEPT_MODELS)
def _model(content: bytes) -> ProjectModel:
    try:
        written = read_yaml(content.decode("utf-8-sig"), most_characters=LARGEST_BYTES)
    except UnicodeDecodeError as error:
        raise Unreadable(f"{PATH} is not UTF-8.", path=PATH) from error
    except Malformed as error:
        said = f"Line {error.line}: {error.reason}."
        raise Unreadable(f"{PATH} is not valid YAML.", path=PATH, details=said) from error
    return ProjectModel(_mapping(written.root.plain()))


def known_model(project: ConfinedFolder) -> ProjectModel:
    """The project's model for a caller who can do without: a broken one counts as none."""
    try:
        return read_model(project)
    except Refusal:
        return ProjectModel({})


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _mappings(value: Any) -> Sequence[Mapping[str, Any]]:
    entries = cast("Any", value) if isinstance(value, list) else ()
    return [_mapping(each) for each in entries]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
