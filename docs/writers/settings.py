"""`docs/reference/settings.md`: every setting, where it can be given, and what it means."""

from collections.abc import Mapping

from docs.writers.command_line import command_parser
from docs.writers.markdown import block, code, document, paragraph, table
from fieldguide.settings.config import DESCRIBING, FILE_NAME, PERSONAL_FILE_NAME, Settings
from fieldguide.settings.limits import Limits
from fieldguide.settings.service import NO, YES, Service

KINDS = {
    str: "text",
    str | None: "text",
    bool: "true or false",
    bool | None: "true or false",
    tuple[str, ...] | None: "names, separated by commas; in the file a list",
}
WITHOUT_FLAG: dict[str, str] = {}  # what a setting means that only the file and the environment can give
NOT_PLAIN = {"sections", "limits", "suggested_toolsets", "problems", "tenant", "service"}
INTRODUCTION = f"""
There are two files. `{FILE_NAME}` in the project's root describes the project. `{PERSONAL_FILE_NAME}` in your own
configuration folder (`~/.config/fieldguide/`, or `$XDG_CONFIG_HOME/fieldguide/`) is yours, and holds for all your
projects. Your file wins over the project's, the environment over both, and a flag over all. They are read once, at
start. All have defaults, and no file is needed.

What has power is [yours alone to set](../guides/security.md): in a project's file it is ignored, and reported, as are
lines that can't be understood.
"""
EXAMPLE = """
toolsets = ["directive"]
tool_names = "safe"
read_only = true
"""
TABLES = """
A table is for the toolset of the same name: `[documents]` is handed to the toolset `documents` as it is, and that
toolset says what may be in it. `[search]` is for the search engine. These are all:
"""
TABLE_ROWS = (
    ("[architecture]", "guidelines", "more folders with guidelines: [architecture](../guides/architecture.md)"),
    ("[architecture]", "patterns", "more folders with patterns"),
    ("[architecture]", "adr", "the folders with decisions; then [none is looked for](../guides/documents.md)"),
    ("[documents]", "folders", "the folders with documents; then [none is looked for](../guides/documents.md)"),
    ("[documents]", "leave_out", "globs of what is no document of the project's"),
    ("[documents.collections.ALIAS]", "source", "where a collection comes from: [documents](../guides/documents.md)"),
    ("[search]", "model", "the model that makes vectors: [search models](../guides/search.md#search-models)"),
    ("[search]", "namespace", "the project's name in a shared PostgreSQL (default: its folder)"),
    ("[search]", "query_prefix", "what a model wants before a query"),
    ("[search]", "passage_prefix", "the same before a document's text"),
    ("[context]", "index_code", "whether code is indexed for `context_search` (default: true)"),
    (
        "[index]",
        "background",
        "whether commands leave a [process that finishes the index](../guides/search.md#the-background-process) "
        "(default: true)",
    ),
    ("[questions]", "keep", "whether [what agents ask](../guides/page.md#now) is kept for the page (default: true)"),
)
USERS_OWN = """
`[search]`, `[limits]`, `[fetch]` and `[secrets]` have power: they belong into your own file. For the model the
environment has variables too: `FIELDGUIDE_SEARCH_MODEL`, `FIELDGUIDE_SEARCH_ENDPOINT`,
`FIELDGUIDE_SEARCH_KEY_VARIABLE`, `FIELDGUIDE_SEARCH_DIMENSIONS`, `FIELDGUIDE_SEARCH_QUERY_PREFIX` and
`FIELDGUIDE_SEARCH_PASSAGE_PREFIX` ([search models](../guides/search.md#search-models)). `FIELDGUIDE_STATE` names the
folder of [what is kept](../guides/storage.md). `FIELDGUIDE_BACKGROUND` is `on` or `off`, whatever `[index]` says.
"""
SERVICE = """
How a server is opened to [others](../guides/http.md) stands in your own file, in the environment or in flags, and
never in a project.
"""
LIMITS = """
How much of everything there may be, and what happens then, says [the page on limits](limits.md). Each can
also be given as `FIELDGUIDE_LIMIT_<NAME>`, in capitals.
"""


def page() -> str:
    """The page: one row per field of Settings that a person can set."""
    flags = {action.dest: action.help or "" for action in command_parser("serve")._actions}
    rows = [_row(each, flags) for each in Settings._fields if each not in NOT_PLAIN]
    words = f"True is {_listed(YES)}; false is {_listed(NO)}. In the file it is TOML's own `true` or `false`."
    return document(
        "# Settings",
        paragraph(INTRODUCTION),
        table(("setting", "may stand in a project", "environment", "flag", "kind", "default", "meaning"), rows),
        paragraph(words),
        f"## An example of {FILE_NAME}",
        block("toml", EXAMPLE.strip()),
        "## Tables for toolsets",
        paragraph(TABLES),
        table(("table", "setting", "meaning"), ((code(where), code(name), what) for where, name, what in TABLE_ROWS)),
        paragraph(USERS_OWN),
        "## A server for others",
        paragraph(SERVICE),
        table(
            ("under `[service]`", "environment", "flag", "meaning"),
            (_service_row(each, flags) for each in Service._fields),
        ),
        "## Limits",
        paragraph(LIMITS),
        table(
            ("under `[limits]`", "default"),
            ((code(name), f"{default:,}") for name, default in Limits()._asdict().items()),
        ),
    )


def _row(name: str, flags: Mapping[str, str]) -> tuple[str, ...]:
    default = Settings._field_defaults[name]
    if name not in flags and name not in WITHOUT_FLAG:
        raise LookupError(f"`serve` has no flag for {name!r}: say in WITHOUT_FLAG what the setting means.")
    return (
        "-" if name == "project" else code(name),
        "yes" if name in DESCRIBING else "no",
        code(f"FIELDGUIDE_{name.upper()}"),
        code(f"--{name.replace('_', '-')}") if name in flags else "-",
        KINDS[Settings.__annotations__[name]],
        "-" if default is None else code(_shown(default)),
        flags.get(name) or WITHOUT_FLAG[name],
    )


def _service_row(name: str, flags: Mapping[str, str]) -> tuple[str, ...]:
    return code(name), code(f"FIELDGUIDE_{name.upper()}"), code(f"--{name.replace('_', '-')}"), flags[name]


def _shown(default: object) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(code(word) or "an empty text" for word in words)
