"""Settings of ESLint: its `no-restricted-*` rules, with the files that they hold for."""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.cli.ruled.taken_over.carried import Carried, Left, NotTheSame, Source, slug
from fieldguide.cli.ruled.taken_over.eslint_rules import READERS, Restricted, restrictions
from fieldguide.cli.ruled.taken_over.literals import as_json
from fieldguide.formats import Malformed
from fieldguide.formats.yaml_text import Value, read_yaml

SEVERITIES = {"error": "error", "2": "error", "warn": "warning", "1": "warning"}
OFF = ("off", "0", "False")
SETTING = re.compile(r"""["']?(no-restricted-(?:imports|syntax|globals|properties))["']?\s*:\s*""")
PARTIAL = re.compile(r"\b(?:files|ignores|overrides)\s*:")
SCRIPTS = (".js", ".cjs", ".mjs", ".ts", ".mts", ".cts")


class Setting(NamedTuple):
    """A rule as it is set, and the files for which it is."""

    rule: str
    value: Value
    files: tuple[str, ...] = ()
    except_files: tuple[str, ...] = ()


def is_eslint(source: Source) -> bool:
    """Whether a file has settings of ESLint."""
    name = source.path.rpartition("/")[2]
    return "eslint" in name.lower() or (name == "package.json" and '"eslintConfig"' in source.text)


def carry_eslint(source: Source) -> list[Carried | Left]:
    """The restrictions that a file sets, each as a rule."""
    found: list[Carried | Left] = []
    settings = _of_script(source.text) if source.path.endswith(SCRIPTS) else _of_data(source)
    for setting in settings:
        if isinstance(setting, Left):
            found.append(setting)
            continue
        try:
            found += _carried(setting)
        except NotTheSame as error:
            found.append(Left(setting.rule, setting.value.line, str(error)))
    return found


def _carried(setting: Setting) -> Iterator[Carried | Left]:
    level, *options = setting.value.items or (setting.value,)
    severity = str(level.scalar)
    if severity in OFF:
        return
    if severity not in SEVERITIES:
        raise NotTheSame(f"its severity `{severity}` is unknown")
    for read, option in restrictions(setting.rule, list(options)):
        try:
            yield _rule(setting, read(option), SEVERITIES[severity])
        except NotTheSame as error:
            yield Left(setting.rule, option.line, str(error))


def _rule(setting: Setting, restricted: Restricted, severity: str) -> Carried:
    entries = {
        "id": slug(f"{setting.rule}-{restricted.name}"),
        "message": restricted.message,
        "severity": severity,
        "languages": ["typescript"] if restricted.name.startswith("TS") else ["javascript", "typescript"],
        **({"files": list(setting.files)} if setting.files else {}),
        **({"except-files": list(setting.except_files)} if setting.except_files else {}),
        "ast-grep": {"rule": restricted.syntax},
    }
    return Carried(entries, restricted.line, limits=restricted.limits)


def _of_data(source: Source) -> list[Setting | Left]:
    """The settings of a JSON or YAML file, with those of its overrides, which stand in place of the others there."""
    is_yaml = source.path.endswith((".yml", ".yaml"))
    try:
        text = source.text if is_yaml else as_json(source.text, len(source.text) - len(source.text.lstrip("\ufeff")))
    except NotTheSame as error:
        raise Malformed(str(error)) from error
    entries = read_yaml(text).root.entries or {}
    if "eslintConfig" in entries:
        entries = entries["eslintConfig"].entries or {}
    scoped = [*_of_overrides(entries)]
    found: list[Setting | Left] = []
    for rule, value in _rules(entries).items():
        elsewhere = [glob for each in scoped if each.rule == rule for glob in each.files]
        found.append(Setting(rule, value, except_files=tuple(elsewhere)))
    return [*found, *scoped]


def _of_overrides(entries: dict[str, Value]) -> Iterator[Setting]:
    for override in (entries["overrides"].items or ()) if "overrides" in entries else ():
        given = override.entries or {}
        files, excluded = _globs(given.get("files")), _globs(given.get("excludedFiles"))
        yield from (Setting(rule, value, files, excluded) for rule, value in _rules(given).items())


def _rules(entries: dict[str, Value]) -> dict[str, Value]:
    rules = (entries["rules"].entries or {}) if "rules" in entries else {}
    return {name: value for name, value in rules.items() if name in READERS}


def _globs(value: Value | None) -> tuple[str, ...]:
    listed = (value.items if value.items is not None else (value,)) if value else ()
    globs = [str(each.scalar) for each in listed]
    return tuple(glob if "/" in glob else f"**/{glob}" for glob in globs)


def _of_script(text: str) -> list[Setting | Left]:
    """The settings of a configuration that is a program, where they are plain values and hold for all files."""
    found: list[Setting | Left] = []
    for match in SETTING.finditer(text):
        rule, line = match.group(1), text.count("\n", 0, match.start()) + 1
        try:
            value = read_yaml(as_json(text, match.end()), first_line=text.count("\n", 0, match.end()) + 1).root
        except NotTheSame as error:
            found.append(Left(rule, line, str(error)))
            continue
        if PARTIAL.search(text) and str(value.scalar) not in OFF:
            found.append(Left(rule, line, "the file also sets things for some files only, and it is a program"))
        else:
            found.append(Setting(rule, value))
    return found
