"""Contracts of import-linter: forbidden, layers and independence, as imports that files of a package must not have.

import-linter also follows imports through other modules, and we look at each import by itself. Both mean the same where
every module that a way could lead through is under the contract too; where that is not so, that is a limit of the rule.

https://import-linter.readthedocs.io/en/stable/contract_types/
"""

import configparser
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.cli.ruled.taken_over.carried import Carried, Left, NotTheSame, Source, slug
from fieldguide.cli.ruled.taken_over.packages import Packages
from fieldguide.formats import Malformed
from fieldguide.formats.toml_text import read_toml

CONTRACT = "importlinter:contract:"
SETTINGS = ("root_package", "root_packages")
NO_EFFECT = {"name", "type", "id", "unmatched_ignore_imports_alerting", "allow_indirect_imports", "ignore_imports"}
KNOWN = {
    "forbidden": {"source_modules", "forbidden_modules"},
    "layers": {"layers", "containers", "exhaustive", "exhaustive_ignores"},
    "independence": {"modules"},
}
INDIRECT = "import-linter also finds imports that lead there through other modules"
EXHAUSTIVE = "that every module is in a layer is not checked here"


class Contract(NamedTuple):
    """A contract as it was written, and its line."""

    name: str
    line: int
    entries: Mapping[str, Any]

    def listed(self, key: str) -> list[str]:
        """The texts of an entry, one for each line where it is one text."""
        given = self.entries.get(key, [])
        lines = given.splitlines() if isinstance(given, str) else [str(each) for each in given]
        return [each.strip() for each in lines if each.strip() and not each.strip().startswith("#")]

    def is_set(self, key: str) -> bool:
        """Whether an entry says yes."""
        return str(self.entries.get(key, "")).lower() in ("true", "1", "yes", "on")


class Ban(NamedTuple):
    """A module whose files must not import some others."""

    importer: str
    imported: tuple[str, ...]


class Meaning(NamedTuple):
    """What a contract bans, and in what we check less of it."""

    bans: list[Ban]
    limits: tuple[str, ...] = ()


def is_import_linter(source: Source) -> bool:
    """Whether a file has contracts."""
    return "importlinter" in source.text and source.path.endswith((".toml", ".cfg", ".ini", ".importlinter"))


def carry_import_linter(source: Source) -> list[Carried | Left]:
    """The contracts of a file; each becomes a rule for every module that it holds for."""
    settings, contracts = _read(source)
    roots = [root for key in SETTINGS for root in Contract("", 1, settings).listed(key)]
    found: list[Carried | Left] = []
    for contract in contracts:
        try:
            found += _carried(contract, Packages(roots, source.project_paths, source.read), settings)
        except NotTheSame as error:
            found.append(Left(contract.name, contract.line, str(error)))
    return found


def _read(source: Source) -> tuple[Mapping[str, Any], list[Contract]]:
    if source.path.endswith(".toml"):
        given: Any = read_toml(source.text.encode())
        settings = given.get("tool", {}).get("importlinter", {})
        contracts = settings.get("contracts", [])
    else:
        parser = configparser.ConfigParser(interpolation=None)
        try:
            parser.read_string(source.text)
        except configparser.Error as error:
            raise Malformed(str(error).splitlines()[0]) from error
        settings = dict(parser["importlinter"]) if parser.has_section("importlinter") else {}
        contracts = [dict(parser[name]) for name in parser.sections() if name.startswith(CONTRACT)]
    named = [(str(each.get("name", "contract")), each) for each in contracts]
    return settings, [Contract(name, _line_of(name, source.text), each) for name, each in named]


def _line_of(name: str, text: str) -> int:
    match = re.search(rf"(?m)^\s*name\s*=\s*[\"']?{re.escape(name)}", text)
    return text.count("\n", 0, match.start()) + 1 + match.group().count("\n") if match else 1


def _carried(contract: Contract, packages: Packages, settings: Mapping[str, Any]) -> Iterator[Carried]:
    kind = str(contract.entries.get("type", ""))
    if kind not in KNOWN:
        raise NotTheSame(f"there is no equal to a contract of type `{kind}`")
    unknown = sorted(set(contract.entries) - KNOWN[kind] - NO_EFFECT)
    if unknown:
        raise NotTheSame(f"`{unknown[0]}` has no equal here")
    if Contract("", 1, settings).is_set("exclude_type_checking_imports"):
        raise NotTheSame("imports for type checkers can't be told apart here")
    meaning = MEANINGS[kind](contract, packages)
    limits = tuple(each for each in meaning.limits if each != INDIRECT or not contract.is_set("allow_indirect_imports"))
    for ban in meaning.bans:
        yield from _rules(contract, ban, packages, limits)


def _forbidden(contract: Contract, packages: Packages) -> Meaning:
    sources = [each for name in contract.listed("source_modules") for each in packages.expanded(name)]
    targets = [each for name in contract.listed("forbidden_modules") for each in _targets(name, packages)]
    inside = [each for each in targets if packages.has(each)]
    is_closed = packages.is_closed(list(dict.fromkeys([*sources, *inside])))
    return Meaning([Ban(each, tuple(targets)) for each in sources], () if is_closed else (INDIRECT,))


def _targets(name: str, packages: Packages) -> list[str]:
    return packages.expanded(name) if packages.has(name.partition(".")[0]) else [name]


def _independence(contract: Contract, packages: Packages) -> Meaning:
    modules = [each for name in contract.listed("modules") for each in packages.expanded(name)]
    bans = [Ban(each, tuple(other for other in modules if other != each)) for each in modules]
    return Meaning(bans, () if packages.is_closed(modules) else (INDIRECT,))


def _layers(contract: Contract, packages: Packages) -> Meaning:
    containers = [each for name in contract.listed("containers") for each in packages.expanded(name)] or [""]
    bans: list[Ban] = []
    limits = [EXHAUSTIVE] if contract.is_set("exhaustive") else []
    for container in containers:
        above: list[str] = []
        for layer in contract.listed("layers"):
            modules = _modules_of(layer, container, packages)
            bans += _of_layer(modules, above, are_independent="|" in layer)
            above += modules
        limits += [] if packages.is_closed(above) else [INDIRECT]
    return Meaning(bans, tuple(dict.fromkeys(limits)))


def _of_layer(modules: Sequence[str], above: Sequence[str], *, are_independent: bool) -> Iterator[Ban]:
    for module in modules:
        others = [each for each in modules if each != module] if are_independent else []
        if above or others:
            yield Ban(module, (*above, *others))


def _modules_of(layer: str, container: str, packages: Packages) -> list[str]:
    """The modules of a layer; one in parentheses need not be there."""
    found: list[str] = []
    for name in (each.strip() for each in layer.replace("|", ":").split(":")):
        module = f"{container}.{name.strip('()')}".strip(".")
        try:
            packages.files_of(module)
        except NotTheSame:
            if not name.startswith("("):
                raise
        else:
            found.append(module)
    return found


MEANINGS = {"forbidden": _forbidden, "independence": _independence, "layers": _layers}


def _rules(contract: Contract, ban: Ban, packages: Packages, limits: tuple[str, ...]) -> Iterator[Carried]:
    """The rule of a ban, and one more for each module that may import something all the same."""
    excused = _excused(contract, ban)
    spared = [packages.file_of(module) for module in excused]
    yield _rule(contract, ban, packages, files=packages.files_of(ban.importer), spared=spared, limits=limits)
    for module, allowed in excused.items():
        rest = Ban(ban.importer, tuple(each for each in ban.imported if each not in allowed))
        if rest.imported:
            file = packages.file_of(module)
            yield _rule(contract, rest, packages, files=[file], spared=[], limits=limits, of=module)


def _excused(contract: Contract, ban: Ban) -> dict[str, set[str]]:
    """The modules of a ban that may import some of what is banned."""
    found: dict[str, set[str]] = {}
    for line in contract.listed("ignore_imports"):
        importer, _, imported = (part.strip() for part in line.partition("->"))
        if "*" in line:
            raise NotTheSame(f"`{line}` has a star")
        if f"{importer}.".startswith(f"{ban.importer}."):
            found.setdefault(importer, set()).update(_excuse(imported, ban, line))
    return {importer: allowed for importer, allowed in found.items() if allowed}


def _excuse(imported: str, ban: Ban, line: str) -> set[str]:
    """What of a ban an excuse lifts: one of its modules as a whole, or nothing."""
    if imported not in ban.imported and any(imported.startswith(f"{each}.") for each in ban.imported):
        raise NotTheSame(f"`{line}` excuses a part of what is banned")
    return {imported} & set(ban.imported)


def _rule(
    contract: Contract,
    ban: Ban,
    packages: Packages,
    *,
    files: Sequence[str],
    spared: Sequence[str],
    limits: tuple[str, ...],
    of: str = "",
) -> Carried:
    module = of or ban.importer
    globs = sorted({spelling for each in ban.imported for spelling in packages.spellings(ban.importer, each)})
    entries = {
        "id": slug(f"{contract.name}-{module}"),
        "message": f"{contract.name}: `{module}` does not import {', '.join(f'`{each}`' for each in ban.imported)}.",
        "languages": ["python"],
        "files": list(files),
        **({"except-files": list(spared)} if spared else {}),
        "forbid-import": globs,
    }
    return Carried(entries, contract.line, limits=limits)
