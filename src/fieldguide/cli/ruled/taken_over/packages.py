"""Where the modules of Python packages lie in a project, and how files of one spell an import of another."""

import posixpath
from collections.abc import Callable, Sequence

from fieldguide import linear_regex as re
from fieldguide.cli.ruled.taken_over.carried import NotTheSame

ROOTS = ("", "src", "lib", "python")
IMPORT = re.compile(r"^\s*(?:import|from)\s", re.MULTILINE)


class Packages:
    """The root packages of a project."""

    def __init__(self, roots: Sequence[str], paths: Sequence[str], read: Callable[[str], str]) -> None:
        self._paths = frozenset(path for path in paths if path.endswith(".py"))
        self._read = read
        self._roots = {root: self._folder(root) for root in roots}

    def has(self, module: str) -> bool:
        """Whether a module is one of ours."""
        return any(_is_within(module, root) for root in self._roots)

    def expanded(self, module: str) -> list[str]:
        """The modules that a name with `*` for one part of it stands for."""
        if "**" in module:
            raise NotTheSame(f"`{module}` stands for modules at any depth")
        found = [""]
        for part in module.split("."):
            names = sorted(self.children_of(found[0])) if part == "*" and len(found) == 1 else [part]
            if part == "*" and len(found) > 1:
                raise NotTheSame(f"`{module}` has more than one star")
            found = [f"{each}.{name}".strip(".") for each in found for name in names]
        return found

    def files_of(self, module: str) -> list[str]:
        """The globs of a module's file and of those below it."""
        place = self._place(module)
        below = any(path.startswith(f"{place}/") for path in self._paths)
        found = [*([f"{place}.py"] if f"{place}.py" in self._paths else []), *([f"{place}/**"] if below else [])]
        if not found:
            raise NotTheSame(f"there is no module `{module}` in the project")
        return found

    def file_of(self, module: str) -> str:
        """The one file of a module."""
        place = self._place(module)
        return f"{place}.py" if f"{place}.py" in self._paths else f"{place}/__init__.py"

    def children_of(self, module: str) -> set[str]:
        """The names of the modules directly below a package."""
        place = f"{self._place(module)}/"
        inner = {path[len(place) :].partition("/")[0] for path in self._paths if path.startswith(place)}
        return {name.removesuffix(".py") for name in inner} - {"__init__"}

    def is_closed(self, modules: Sequence[str]) -> bool:
        """Whether every way from one of these modules to another leads only through themselves."""
        parents = {module.rpartition(".")[0] for module in modules}
        if len(parents) != 1 or not parents <= set(self._roots) or len(self._roots) != 1:
            return set(modules) == set(self._roots)
        (parent,) = parents
        names = {module.rpartition(".")[2] for module in modules}
        return self.children_of(parent) <= names and not IMPORT.search(self._read(f"{self._place(parent)}/__init__.py"))

    def spellings(self, importer: str, imported: str) -> set[str]:
        """How the files of a module may write an import of another: its whole name, or relative to each folder."""
        if not self.has(imported):
            return {imported}
        if _is_within(importer, imported):
            raise NotTheSame(f"`{imported}` is the package that `{importer}` lies in")
        target = imported.split(".")
        folders = [self._package_of(path) for path in self._files(importer)]
        found = {relative for parts in folders for relative in _relative(parts, target)}
        for spelling in found:
            for parts in folders:
                self._refuse_another(spelling, parts, target)
        return {imported, *found}

    def _refuse_another(self, spelling: str, parts: list[str], target: list[str]) -> None:
        """Refuse a spelling that means the module from one folder and another one from elsewhere."""
        name = spelling.lstrip(".")
        climbs = len(spelling) - len(name) - 1
        meant = [*parts[: len(parts) - climbs], *name.split(".")]
        if climbs < len(parts) and meant != target and self._is_there(meant):
            raise NotTheSame(
                f"`{spelling}` means `{'.'.join(target)}` in one folder and `{'.'.join(meant)}` in another"
            )

    def _is_there(self, parts: list[str]) -> bool:
        place = self._place(".".join(parts))
        return f"{place}.py" in self._paths or any(path.startswith(f"{place}/") for path in self._paths)

    def _files(self, module: str) -> list[str]:
        place = self._place(module)
        return sorted(path for path in self._paths if path == f"{place}.py" or path.startswith(f"{place}/"))

    def _package_of(self, path: str) -> list[str]:
        """The parts of the package that a file lies in."""
        for root, folder in self._roots.items():
            inside = posixpath.dirname(path)
            if inside == folder or inside.startswith(f"{folder}/"):
                return [*root.split("."), *inside[len(folder) :].strip("/").split("/")] if inside != folder else (
                    root.split(".")
                )  # fmt: skip
        return []

    def _place(self, module: str) -> str:
        for root, folder in self._roots.items():
            if _is_within(module, root):
                return folder + module[len(root) :].replace(".", "/")
        raise NotTheSame(f"`{module}` is in none of the root packages")

    def _folder(self, root: str) -> str:
        inner = root.replace(".", "/")
        for place in ROOTS:
            folder = posixpath.join(place, inner)
            if f"{folder}/__init__.py" in self._paths:
                return folder
        found = sorted(path for path in self._paths if path.endswith(f"/{inner}/__init__.py"))
        if len(found) != 1:
            raise NotTheSame(f"the root package `{root}` is not found in the project")
        return posixpath.dirname(found[0])


def _is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _relative(parts: list[str], target: list[str]) -> list[str]:
    """How a file in a package may write a module with dots in front."""
    shared = 0
    while shared < min(len(parts), len(target)) and parts[shared] == target[shared]:
        shared += 1
    kept = range(1, min(shared, len(target) - 1) + 1)
    return ["." * (len(parts) - each + 1) + ".".join(target[each:]) for each in kept]
