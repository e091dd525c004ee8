"""What a project says of itself in `.context/project.yaml`: its modules, their key files, patterns and rules."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import NotFound, Refusal, Unreadable

PATH = ".context/project.yaml"
LARGEST_BYTES = 1 << 20


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
    import yaml  # 10 ms; only a project with a model needs it

    try:
        value = yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  a safe loader
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Unreadable(f"{PATH} is not valid YAML.", path=PATH) from error
    return ProjectModel(_mapping(value))


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
