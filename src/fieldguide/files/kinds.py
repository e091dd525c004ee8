"""Classifies a file by its path: language, document format, role (tests, examples, generated) and kind of text.

Files that programs write (lock files, snapshots, recorded answers, minified and vendored files) are not indexed. The
`form` of a text kind says how such a file is cut into chunks.
"""

import os
import posixpath
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from fieldguide.text import regex as re

REMEMBERED_PATHS = 20_000
_LANGUAGES_BY_SUFFIX = {
    "astro": "astro",
    "bash": "shell", "sh": "shell", "zsh": "shell", "ksh": "shell", "bats": "shell", "fish": "fish",
    "bat": "batch", "cmd": "batch", "ps1": "powershell", "psm1": "powershell",
    "c": "c", "h": "c",
    "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "c++": "cpp", "hh": "cpp", "hpp": "cpp", "hxx": "cpp", "h++": "cpp",
    "inl": "cpp", "ipp": "cpp", "tpp": "cpp", "cu": "cuda", "cuh": "cuda",
    "clj": "clojure", "cljs": "clojure", "cljc": "clojure", "edn": "clojure",
    "cmake": "cmake",
    "cs": "csharp", "csx": "csharp", "fs": "fsharp", "fsx": "fsharp", "vb": "vb",
    "css": "css", "scss": "scss", "sass": "sass", "less": "less",
    "csv": "csv", "tsv": "tsv",
    "dart": "dart",
    "dockerfile": "dockerfile",
    "ex": "elixir", "exs": "elixir", "erl": "erlang", "hrl": "erlang", "elm": "elm",
    "go": "go", "gradle": "groovy", "groovy": "groovy",
    "graphql": "graphql", "gql": "graphql",
    "hcl": "hcl", "tf": "hcl", "tfvars": "hcl",
    "hs": "haskell", "lhs": "haskell",
    "htm": "html", "html": "html", "xhtml": "html",
    "ini": "ini", "cfg": "ini", "conf": "ini", "properties": "properties",
    "ipynb": "json", "json": "json", "json5": "json", "jsonc": "json", "jsonl": "json", "geojson": "json",
    "webmanifest": "json",
    "java": "java", "jl": "julia",
    "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "javascript",
    "kt": "kotlin", "kts": "kotlin",
    "lua": "lua", "mk": "makefile", "m": "objective-c", "mm": "objective-c",
    "md": "markdown", "markdown": "markdown", "mdown": "markdown", "mdx": "mdx",
    "ml": "ocaml", "mli": "ocaml", "nim": "nim", "nix": "nix",
    "php": "php", "phtml": "php", "php5": "php", "pl": "perl", "pm": "perl",
    "prisma": "prisma", "proto": "protobuf",
    "py": "python", "pyi": "python", "pyw": "python", "pyx": "cython", "pxd": "cython",
    "r": "r", "rmd": "markdown", "qmd": "markdown",
    "rb": "ruby", "rake": "ruby", "gemspec": "ruby", "ru": "ruby", "erb": "erb",
    "rs": "rust", "rst": "restructuredtext", "adoc": "asciidoc",
    "sc": "scala", "scala": "scala", "sbt": "scala", "sol": "solidity",
    "sql": "sql", "svelte": "svelte", "svg": "xml", "swift": "swift",
    "tex": "latex", "toml": "toml",
    "ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx",
    "txt": "text", "log": "text", "diff": "diff", "patch": "diff",
    "vim": "vim", "vue": "vue",
    "xml": "xml", "xsd": "xml", "xsl": "xml", "csproj": "xml", "fsproj": "xml", "props": "xml", "plist": "xml",
    "yaml": "yaml", "yml": "yaml",
    "zig": "zig",
}  # fmt: skip

_LANGUAGES_BY_NAME = {
    "brewfile": "ruby", "capfile": "ruby", "gemfile": "ruby", "guardfile": "ruby", "podfile": "ruby",
    "rakefile": "ruby", "vagrantfile": "ruby",
    "build.bazel": "starlark", "tiltfile": "starlark",
    "cargo.lock": "toml", "poetry.lock": "toml", "uv.lock": "toml", "pipfile": "toml", "gopkg.lock": "toml",
    "cmakelists.txt": "cmake",
    "composer.lock": "json", "flake.lock": "json", "pipfile.lock": "json",
    ".babelrc": "json", ".eslintrc": "json", ".prettierrc": "json", ".swcrc": "json",
    "containerfile": "dockerfile", "dockerfile": "dockerfile",
    "codeowners": "text", "copying": "text", "license": "text", "notice": "text", "readme": "text",
    "requirements.txt": "text",
    "gnumakefile": "makefile", "makefile": "makefile",
    "go.mod": "go-mod", "go.sum": "text", "go.work": "go-mod",
    "jenkinsfile": "groovy", "justfile": "just", "procfile": "yaml",
    "sconscript": "python", "sconstruct": "python", "wscript": "python",
    ".bash_profile": "shell", ".bashrc": "shell", ".profile": "shell", ".zshrc": "shell",
    ".dockerignore": "ignore", ".gitattributes": "text", ".gitignore": "ignore", ".npmignore": "ignore",
    ".editorconfig": "ini", ".gitconfig": "ini", ".gitmodules": "ini", ".npmrc": "ini",
}  # fmt: skip

_IN_CAPITALS = {"BUILD": "starlark", "WORKSPACE": "starlark"}
"""Names that count only in capitals: `scripts/build` is a script of any kind."""

_OTHER_NAMES = {
    "python3": "python", "py3": "python", "cpython": "python", "node": "javascript", "nodejs": "javascript",
    "node.js": "javascript", "ecmascript": "javascript", "javascriptreact": "javascript", "react": "tsx",
    "typescriptreact": "tsx", "deno": "typescript", "golang": "go", "c#": "csharp", "c-sharp": "csharp",
    "dotnet": "csharp", ".net": "csharp", "f#": "fsharp", "cplusplus": "cpp", "objc": "objective-c",
    "rustlang": "rust", "shellscript": "shell", "posix": "shell", "terraform": "hcl",
}  # fmt: skip
NO_LANGUAGES = frozenset(("text", "diff", "ignore", "csv", "tsv"))


def canonical_language(name: str) -> str | None:
    """Our name of a language, for any spelling of it; None if unknown."""
    plain = name.strip().lower()
    language = _OTHER_NAMES.get(plain)
    if language is None:
        is_known = plain in _LANGUAGES_BY_SUFFIX.values()
        language = plain if is_known else language_of(f"x.{plain.lstrip('.')}")
    return None if language in NO_LANGUAGES else language


@lru_cache(maxsize=REMEMBERED_PATHS)
def language_of(path: str) -> str | None:
    """The language of a file by its name, such as `python` or `typescript`; None if unknown."""
    written = posixpath.basename(path)
    name = written.lower()
    if written in _IN_CAPITALS or name in _LANGUAGES_BY_NAME:
        return _IN_CAPITALS.get(written) or _LANGUAGES_BY_NAME[name]
    if name.startswith(("dockerfile.", "containerfile.")):
        return "dockerfile"
    if name.startswith("makefile."):
        return "makefile"
    stem, dot, suffix = name.rpartition(".")
    return _LANGUAGES_BY_SUFFIX.get(suffix) if stem and dot else None


# fmt: off
NOT_CODE = frozenset((
    "asciidoc", "css", "csv", "diff", "erb", "go-mod", "html", "ignore", "ini", "json", "latex", "less", "markdown",
    "mdx", "properties", "restructuredtext", "sass", "scss", "text", "toml", "tsv", "xml", "yaml",
))
# fmt: on


def is_code(path: str) -> bool:
    """Whether a file's name says that it holds code."""
    language = language_of(path)
    return language is not None and language not in NOT_CODE


MARKDOWN = "markdown"
MDX = "mdx"
RST = "rst"
ASCIIDOC = "asciidoc"
TEXT = "text"
HTML = "html"
NOTEBOOK = "notebook"
PDF = "pdf"

MANUAL_SUFFIXES = (".man", ".mdoc", *(f".{section}" for section in range(1, 10)))
"""Manual pages are read as the plain text that they are written in."""
SUFFIXES = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdc"), MARKDOWN),
    ".mdx": MDX,
    **dict.fromkeys((".rst", ".rest"), RST),
    **dict.fromkeys((".adoc", ".asciidoc"), ASCIIDOC),
    **dict.fromkeys((".txt", ".text", *MANUAL_SUFFIXES), TEXT),
    **dict.fromkeys((".html", ".htm", ".xhtml"), HTML),
    ".ipynb": NOTEBOOK,
    ".pdf": PDF,
}

GLOBS = tuple(f"**/*{suffix}" for suffix in SUFFIXES)
"""The files of a folder that are documents."""
MARKED_UP = frozenset((MARKDOWN, MDX, RST, ASCIIDOC))
"""The formats in which people write pages and records."""
MARKED_UP_SUFFIXES = tuple(suffix for suffix, form in SUFFIXES.items() if form in MARKED_UP)
KNOWN_SUFFIXES = tuple(SUFFIXES)


def find_format(path: str) -> str | None:
    """The document format of a file by its name; None if it is no document."""
    if not path.lower().endswith(KNOWN_SUFFIXES):  # most files of a large project are asked about at each save
        return None
    return SUFFIXES.get(os.path.splitext(path)[1].lower())


def is_plain_document(path: str) -> bool:
    """Whether a document is one that people write as text, by its name."""
    form = find_format(path)
    return form in MARKED_UP or form == TEXT


def is_extracted(path: str) -> bool:
    """Whether a document's text must be extracted, since its file is not text."""
    return find_format(path) == PDF


IMPLEMENTATION = ""
TESTS = "tests"
EXAMPLES = "examples"
BENCHMARKS = "benchmarks"
GENERATED = "generated"
VENDORED = "vendored"
MIGRATIONS = "migrations"
# fmt: off
VENDORED_FOLDERS = frozenset((
    "vendor", "vendors", "vendored", "_vendor", "_vendored", "third_party", "third-party", "thirdparty", "3rdparty",
    "3rd_party", "node_modules", "bower_components", "jspm_packages", "godeps", "carthage", "site-packages",
    "dist-packages", "externals", "extern",
))
ROLE_FOLDERS = {
    **dict.fromkeys((
        "test", "tests", "spec", "specs", "__tests__", "__mocks__", "mocks", "testdata", "test-data", "test_data",
        "fixtures", "__fixtures__", "e2e", "testutil", "testutils", "testsuite", "androidtest", "integration-tests",
        "integration_tests", "unittests", "unit-tests", "functional-tests", "cypress", "simulation", "testlib",
        "regress", "testcase", "testcases", "testsuites", "testsupport", "testhelpers",
        "testfixtures", "testresources", "testprojects", "testapps", "testbed", "testenv", "integrationtest",
        "integrationtests", "functionaltest", "functionaltests", "unittest", "systemtests",
        "__snapshots__", "cassettes", "goldens", "fuzz_targets",
    ), TESTS),
    **dict.fromkeys((
        "example", "examples", "_examples", "sample", "samples", "demo", "demos", "tutorial", "tutorials", "playground",
        "docs", "doc", "documentation", "cookbook", "snippets", "website",
    ), EXAMPLES),
    **dict.fromkeys(("bench", "benches", "benchmark", "benchmarks"), BENCHMARKS),
    **dict.fromkeys(VENDORED_FOLDERS, VENDORED),
    **dict.fromkeys(("migrations", "migrate", "post_migrate"), MIGRATIONS),
    **dict.fromkeys(("generated", "__generated__", "gen-src"), GENERATED),
}
ROLE_WORDS = {
    TESTS: ("test", "tests", "testing", "tested", "spec", "specs", "fixture", "fixtures", "mock", "mocks", "unittest"),
    EXAMPLES: ("example", "examples", "sample", "samples", "demo", "demos", "tutorial", "documentation", "docs"),
    BENCHMARKS: ("benchmark", "benchmarks", "bench", "benchmarked"),
    GENERATED: ("generated", "minified", "autogenerated"),
    VENDORED: ("vendored", "vendor", "bundled"),
    MIGRATIONS: ("migration", "migrations", "migrate"),
}
# fmt: on
TEST_NAME = re.compile(
    r"(?:test|spec)[-_.].*|.*[-_.](?:test|tests|spec|specs|e2e|cy|unittest|unittests)|conftest|.*_test_.*|tests?|.*[-_.]test[-_.].*"
)
TEST_HUMP = re.compile(r".*[a-z0-9](?:Test|Tests|TestCase|Spec|Specs|IT)|Test[A-Z].*")
TEST_FOLDER = re.compile(
    r".*[-_.](?:tests|specs|testdata|testing)|tests[-_.].*"
    r"|(?:integration|unit|functional|acceptance|smoke|system|e2e|regression|regress|api|load|stress|conformance|compat)"
    r"[-_.]?(?:test|spec)"
    r"|test[-_.]?(?:utils?|helpers?|support|data|fixtures?|resources?|common|apps?|projects?|suites?|cases?|files|assets)"
)
TEST_FOLDER_HUMP = re.compile(r".*[a-z0-9](?:Tests|Specs|UnitTests|IntegrationTests)")
TEST_ROOTS = frozenset(
    ("t", "xt", "fuzz", "qa", "regression", "regressions")
)  # tests where they are the first folder; deeper they may be code
TEST_ENDINGS = (".t", ".phpt", ".bats", ".feature")
BENCH_NAME = re.compile(r"(?:bench|benchmark)(?:[-_.].*)?|.*[-_.](?:bench|benchmark|benchmarks)")
GENERATED_NAME = re.compile(
    r".*\.pb(?:\.gw|\.validate)?\.(?:go|cc|h|c)|.*_pb2(?:_grpc)?\.pyi?|.*\.pulsar\.go|.*\.(?:g|freezed)\.dart"
    r"|.*[.-](?:min|bundle|generated|gen|designer)\.[a-z0-9]+|.*_(?:generated|gen|pb)\.[a-z]+|.*_pb\.d\.ts|zz_generated.*"
    r"|.*[-.](?:lock|lockfile)(?:\.[a-z]+)?|.*-lock\.[a-z]+|moc_.*\.cpp|.*_string\.go|.*\.snap|bindata\.go"
)
HEADER = re.compile(
    r"(?i)code generated .{0,80}do not edit|@generated\b|auto-?generated|made by GNU Bison|scanner generated by flex"
    r"|(?:this file (?:is|was) |is |been )"
    r"(?:automatically )?generated (?:by|from|with|using|automatically)|do not edit (?:this file|manually|by hand)"
)
HEAD_CHARACTERS = 1_500
LONG_LINE = 1_000  # characters: nobody writes such lines one after the other
LONG_SHARE = 0.5


@lru_cache(maxsize=REMEMBERED_PATHS)
def find_role(path: str) -> str:
    """What a file is for, by its path alone; empty for plain implementation."""
    folders, _, name = path.rpartition("/")
    lowered = name.lower()
    if GENERATED_NAME.fullmatch(lowered):
        return GENERATED
    stem = posixpath.splitext(name)[0]
    if TEST_NAME.fullmatch(stem.lower()) or TEST_HUMP.fullmatch(stem) or lowered.endswith(TEST_ENDINGS):
        return TESTS
    parts = [part for part in folders.split("/") if part]
    if parts and (parts[0].lower() in TEST_ROOTS or "/src/it/" in f"/{folders}/"):
        return TESTS
    if any(TEST_FOLDER.fullmatch(part.lower()) or TEST_FOLDER_HUMP.fullmatch(part) for part in parts):
        return TESTS
    roles = [ROLE_FOLDERS[folder] for folder in folders.lower().split("/") if folder in ROLE_FOLDERS]
    if roles:
        return TESTS if TESTS in roles else roles[0]
    return BENCHMARKS if BENCH_NAME.fullmatch(stem.lower()) else IMPLEMENTATION


def is_generated(text: str) -> bool:
    """Whether a text says in its head that it is generated, or consists mostly of enormously long lines."""
    if HEADER.search(text[:HEAD_CHARACTERS]):
        return True
    lines = text.split("\n")
    return sum(len(line) for line in lines if len(line) > LONG_LINE) > LONG_SHARE * max(len(text), LONG_LINE)


def match_roles(words: Iterable[str]) -> frozenset[str]:
    """The roles whose words occur in a question: "test client" may mean tests, or a client."""
    given = frozenset(words)
    return frozenset(role for role, names in ROLE_WORDS.items() if not given.isdisjoint(names))


def find_asked_roles(words: Sequence[str]) -> frozenset[str]:
    """The roles that a question asks for: by the plural ("tests of …"), or by its first word ("example of …")."""
    return match_roles([*(word for word in words if word.endswith("s")), *words[:1]])


AMONG_TESTS = re.compile(r"(?i)(?:[\w.]+[-_.])?(?:tests?|testing|specs?)(?:[-_.][\w.]+)?")


@lru_cache(maxsize=REMEMBERED_PATHS)
def is_test(path: str) -> bool:
    """Whether a file is a test, by its name or by a folder such as `integration-test`."""
    return find_role(path) == TESTS or any(AMONG_TESTS.fullmatch(folder) for folder in path.split("/")[:-1])


CONFIG = "config"
DATA = "data"
TEMPLATE = "template"
MARKUP = "markup"
STYLE = "style"
TRANSLATION = "translation"
BUILD = "build"
CI = "ci"
SQL = "sql"
SHELL = "shell"
TEXT_KINDS = (CONFIG, CI, BUILD, TEMPLATE, MARKUP, STYLE, TRANSLATION, DATA, SQL, SHELL)

TREE = "tree"
SECTIONS = "sections"
ENTRIES = "entries"
TAGS = "tags"
RULES = "rules"
STATEMENTS = "statements"
TARGETS = "targets"
STAGES = "stages"

KILOBYTE = 1024
MOST_BYTES = {DATA: 64 * KILOBYTE, TRANSLATION: 256 * KILOBYTE}
MOST_CHUNKS = {DATA: 8, TRANSLATION: 40}
USUAL_MOST_CHUNKS = 60
REMEMBERED_TEXT_KINDS = 50_000


class TextFileKind(NamedTuple):
    """The kind of a text file, and the form by which it is chunked; no form if it is chunked as code."""

    kind: str
    form: str


# fmt: off
_BY_SUFFIX = {
    **dict.fromkeys(("yaml", "yml"), TextFileKind(CONFIG, TREE)),
    **dict.fromkeys(("json", "json5", "jsonc", "webmanifest"), TextFileKind(DATA, TREE)),
    **dict.fromkeys(("toml", "ini", "cfg", "conf", "cnf", "editorconfig"), TextFileKind(CONFIG, SECTIONS)),
    **dict.fromkeys((
        "rules", "service", "socket", "timer", "desktop", "rego", "cue", "jsonnet", "libsonnet", "bicep", "hjson",
        "kdl", "ron", "nginx", "http", "pbtxt", "textproto",
    ), TextFileKind(CONFIG, SECTIONS)),
    **dict.fromkeys(("properties",), TextFileKind(CONFIG, ENTRIES)),
    **dict.fromkeys(("xml", "xsd", "xsl", "xslt", "wsdl", "rng"), TextFileKind(MARKUP, TAGS)),
    **dict.fromkeys(("htm", "html", "xhtml"), TextFileKind(MARKUP, TAGS)),
    **dict.fromkeys(("fxml", "xaml", "axaml", "storyboard", "xib"), TextFileKind(MARKUP, TAGS)),
    **dict.fromkeys(("plist", "resx"), TextFileKind(CONFIG, TAGS)),
    **dict.fromkeys(("csproj", "fsproj", "vbproj", "vcxproj", "props", "targets", "nuspec"), TextFileKind(BUILD, TAGS)),
    **dict.fromkeys(("css", "scss", "less"), TextFileKind(STYLE, RULES)),
    **dict.fromkeys(("sass", "styl", "pcss"), TextFileKind(STYLE, TREE)),
    **dict.fromkeys((
        "j2", "jinja", "jinja2", "twig", "ejs", "hbs", "handlebars", "mustache", "jsp", "jspx", "jspf", "cshtml",
        "razor", "gohtml", "tmpl", "gotmpl", "tpl", "erb", "liquid", "ftlh", "vm", "njk", "eex", "heex", "leex", "mako",
        "aspx", "ascx", "rhtml", "latte", "dtl",
    ), TextFileKind(TEMPLATE, TAGS)),
    **dict.fromkeys(("pug", "jade", "haml", "slim"), TextFileKind(TEMPLATE, TREE)),
    "ftl": TextFileKind(TEMPLATE, TAGS),
    **dict.fromkeys(("po", "pot", "strings"), TextFileKind(TRANSLATION, ENTRIES)),
    **dict.fromkeys(("xliff", "xlf"), TextFileKind(TRANSLATION, TAGS)),
    "arb": TextFileKind(TRANSLATION, TREE),
    "jelly": TextFileKind(TEMPLATE, TAGS),
}
_BY_NAME = {
    "pom.xml": TextFileKind(BUILD, TAGS), "build.xml": TextFileKind(BUILD, TAGS),
    "meson.build": TextFileKind(BUILD, SECTIONS),
    "go.mod": TextFileKind(BUILD, SECTIONS), "go.work": TextFileKind(BUILD, SECTIONS),
    "jenkinsfile": TextFileKind(CI, ""),
    **dict.fromkeys((
        ".babelrc", ".eslintrc", ".prettierrc", ".swcrc", ".stylelintrc", ".clang-format", ".clang-tidy", "procfile",
    ), TextFileKind(CONFIG, TREE)),
    **dict.fromkeys((".gitmodules", ".flake8", ".pylintrc", ".coveragerc"), TextFileKind(CONFIG, SECTIONS)),
}
_OF_LANGUAGE = {
    "makefile": TextFileKind(BUILD, TARGETS), "just": TextFileKind(BUILD, TARGETS),
    "dockerfile": TextFileKind(BUILD, STAGES),
    "cmake": TextFileKind(BUILD, STATEMENTS), "sql": TextFileKind(SQL, STATEMENTS),
    "shell": TextFileKind(SHELL, ""), "fish": TextFileKind(SHELL, ""), "batch": TextFileKind(SHELL, ""),
    "powershell": TextFileKind(SHELL, ""),
}
"""Languages whose files are in the index of code."""

LEFT_OUT_NAMES = frozenset(("npm-shrinkwrap.json", "gopkg.toml.lock", "mix.lock", "deno.lock", "bun.lock"))
LEFT_OUT_FOLDERS = frozenset((
    "__snapshots__", "snapshots", "snapshot", "cassettes", "golden", "goldens", "recordings", "__recordings__",
    "site-packages", "bower_components",
))
LOCALE_FOLDERS = frozenset((
    "locale", "locales", "i18n", "l10n", "lang", "langs", "language", "languages", "translation", "translations",
    "intl", "lproj", "_locales",
))
TEMPLATE_FOLDERS = frozenset((
    "template", "templates", "views", "view", "layouts", "partials", "_includes", "_layouts", "_partials", "jinja2",
))
DOCUMENT_FOLDERS = frozenset(("doc", "docs", "documentation"))
CI_FILES = frozenset((
    ".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", "azure-pipelines.yml", "azure-pipelines.yaml", "appveyor.yml",
    ".appveyor.yml", "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker.yml", "cloudbuild.yaml", "cloudbuild.yml",
    ".cirrus.yml", "action.yml", "action.yaml", "codecov.yml", ".codecov.yml", "dependabot.yml", "renovate.json",
))
TEXT_KIND_WORDS = {
    CONFIG: (
        "config", "configs", "configuration", "settings", "yaml", "yml", "toml", "ini", "pyproject", "tsconfig",
        "json", "manifest", "manifests", "properties",
    ),
    CI: ("ci", "workflow", "workflows", "pipeline", "pipelines", "github", "gitlab", "travis", "circleci", "jenkins"),
    BUILD: (
        "dockerfile", "makefile", "docker", "cmake", "cmakelists", "containerfile", "container", "pom",
        "csproj", "maven", "make", "meson",
    ),
    TEMPLATE: (
        "template", "templates", "html", "jinja", "twig", "handlebars", "mustache", "erb", "blade", "razor",
        "jsp", "partial", "partials", "page", "pages", "view", "views", "layout",
    ),
    MARKUP: ("html", "xml", "markup", "xsd", "xslt", "xaml", "fxml", "page", "pages"),
    STYLE: ("css", "scss", "sass", "stylesheet", "stylesheets", "style", "styles", "styling", "styled"),
    TRANSLATION: (
        "translation", "translations", "translated", "locale", "locales", "i18n", "l10n", "localization",
        "localisation", "wording",
    ),
    DATA: ("json", "data"),
    SQL: ("sql", "ddl", "schema", "table", "tables"),
    SHELL: ("shell", "bash", "zsh", "script", "scripts", "powershell"),
}
"""Words by which a question may ask for a kind; most of them are ordinary words of code as well."""
OPENING = frozenset(("which", "what", "the", "a", "an", "show", "find", "list"))
ARTICLES = frozenset(("the", "a", "an", "all", "this", "its", "our"))
AFTER_KIND = frozenset((
    "", "of", "that", "which", "for", "with", "in", "when", "to", "file", "files", "shown", "by", "from", "target",
    "targets", "image", "job", "jobs", "script", "scripts", "stage", "step", "class", "classes", "rule", "rules",
    "selector", "key", "keys", "section", "block", "variable", "variables", "column", "columns",
))
ABOUT_CODE = frozenset((
    "how", "where", "why", "when", "add", "apply", "check", "close", "compile", "compute", "configure", "convert",
    "create", "decode", "delete", "detect", "download", "encode", "escape", "execute", "export", "extract", "fetch",
    "filter", "generate", "get", "handle", "ignore", "import", "insert", "limit", "load", "match", "merge", "normalize",
    "open", "override", "parse", "prevent", "print", "process", "read", "register", "reject", "remove", "rename",
    "render", "replace", "resolve", "retry", "return", "run", "sanitize", "save", "search", "select", "send",
    "serialize", "serve", "set", "sort", "split", "start", "stop", "store", "strip", "transform", "translate", "trim",
    "update", "upload", "use", "validate", "verify", "write",
))
"""Words that open a question about what something does."""
# fmt: on
MOST_BEFORE_KIND = 3
CI_FOLDER = re.compile(
    r"(?:.*/)?(?:\.github/workflows|\.github/actions|\.circleci|\.gitlab|\.buildkite|\.woodpecker)/.*"
)
CONFIG_NAME = re.compile(
    r"\..*|.*(?:config|settings|manifest|options|rc)(?:\.[a-z0-9-]+)*\.json[5c]?|(?:package|composer|project|bower|deno|"
    r"tsconfig|jsconfig|appsettings|launch|tasks|turbo|nx|lerna|angular|vercel|firebase|app)(?:\.[\w-]+)*\.json[5c]?"
)
MESSAGES = re.compile(r"(?:messages?|.*_[a-z]{2}(?:[_-][A-Za-z]{2,4})?)\.properties")
ORIGINAL = re.compile(
    r"(?:^|[/._-])(?:en(?:[-_](?:us|gb))?|english|base|source|default)[/._]|/values/|/messages\.properties"
)
ANDROID_STRINGS = re.compile(r"(?:.*/)?res/values(?:-[\w-]+)?/[^/]+\.xml")


@lru_cache(maxsize=REMEMBERED_TEXT_KINDS)
def classify_text_file(path: str) -> TextFileKind | None:
    """The kind of a text file; None for code, documents and everything else."""
    folders, _, written = path.lower().rpartition("/")
    in_code = _OF_LANGUAGE.get(language_of(path) or "")
    if in_code is not None:
        return in_code
    if written.endswith(".blade.php"):
        return TextFileKind(TEMPLATE, TAGS)
    suffix = written.rpartition(".")[2] if "." in written else ""
    found = _BY_NAME.get(written) or _BY_SUFFIX.get(suffix)
    if found is None:
        return None
    return found._replace(kind=_refine_kind(path, folders.split("/"), written, found.kind))


def find_text_kind(path: str) -> str:
    """The name of a text file's kind; empty for any other file."""
    found = classify_text_file(path)
    return "" if found is None else found.kind


def match_text_kinds(words: Sequence[str]) -> frozenset[str]:
    """The kinds whose words occur in a question, given in lower case."""
    given = frozenset(words)
    return frozenset(kind for kind, names in TEXT_KIND_WORDS.items() if not given.isdisjoint(names))


def find_asked_text_kinds(words: Sequence[str]) -> frozenset[str]:
    """The kinds that are the subject of a question, as in "css of the header" or "which workflow publishes …".

    "Load the translations of …" and "where are templates rendered" are about code that deals with them.
    """
    if is_about_code(words):
        return frozenset()
    asks_which = words[0] in ("which", "what")
    bare = words[1:] if words[0] in OPENING else words
    found: set[str] = set()
    for place, word in enumerate(bare[:MOST_BEFORE_KIND]):
        after = bare[place + 1] if place + 1 < len(bare) else ""
        if asks_which or after in AFTER_KIND:
            found.update(kind for kind, names in TEXT_KIND_WORDS.items() if word in names)
    return frozenset(found)


def is_about_code(words: Sequence[str]) -> bool:
    """Whether a question is about what something does: "how is …", "where are …", or a verb with its object."""
    if not words or words[0] in ABOUT_CODE:
        return True
    return len(words) > 1 and words[0] not in OPENING and words[1] in ARTICLES


@lru_cache(maxsize=REMEMBERED_TEXT_KINDS)
def is_indexed_text(path: str) -> bool:
    """Whether a file belongs in the index of text: not generated, and no page of the documentation."""
    found = classify_text_file(path)
    is_in_code_index = language_of(path) in _OF_LANGUAGE or path.lower().endswith((".blade.php", "jenkinsfile"))
    if found is None or is_in_code_index:
        return False
    folders, _, name = path.lower().rpartition("/")
    around = frozenset(folders.split("/"))
    if name in LEFT_OUT_NAMES or not around.isdisjoint(LEFT_OUT_FOLDERS):
        return False
    if name.endswith((".html", ".htm", ".xhtml")) and not around.isdisjoint(DOCUMENT_FOLDERS):
        return False
    role = find_role(path)
    return role not in (GENERATED, VENDORED) and not (role == TESTS and found.kind in (DATA, TRANSLATION))


def most_bytes(path: str) -> int:
    """The size limit of a text file; a larger one is generated, or data."""
    if find_role(path) == TESTS:
        return 16 * KILOBYTE
    return MOST_BYTES.get(find_text_kind(path), 128 * KILOBYTE)


def most_chunks(path: str) -> int:
    """The most chunks of a file that are indexed; a translation is found by its path, its original by its words."""
    kind = find_text_kind(path)
    if kind == TRANSLATION and not is_original(path):
        return 2
    return MOST_CHUNKS.get(kind, USUAL_MOST_CHUNKS)


def is_original(path: str) -> bool:
    """Whether a file of translations is the original of the others."""
    lowered = path.lower()
    return lowered.endswith(".pot") or ORIGINAL.search(lowered) is not None


def _refine_kind(path: str, folders: list[str], name: str, kind: str) -> str:
    """The kind of a file by its name and folders, where the ending alone is not enough."""
    if name in CI_FILES or CI_FOLDER.fullmatch(path):
        return CI
    around = LOCALE_FOLDERS.intersection(folders) or folders[-1].endswith(".lproj")
    if kind == TEMPLATE:
        return TRANSLATION if name.endswith(".ftl") and around else TEMPLATE
    if kind in (CONFIG, DATA) and (around or MESSAGES.fullmatch(name)):
        return TRANSLATION
    if kind == DATA:
        return CONFIG if folders == [""] or CONFIG_NAME.fullmatch(name) else DATA
    if kind == MARKUP and ANDROID_STRINGS.fullmatch(path):
        return TRANSLATION
    if kind == MARKUP and name.endswith(("html", "htm")) and not TEMPLATE_FOLDERS.isdisjoint(folders):
        return TEMPLATE
    return kind
