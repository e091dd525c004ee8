"""Maps file names and common spellings to programming languages."""

import posixpath

_BY_SUFFIX = {
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

_BY_NAME = {
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
"""Names that say something only as they are written: `scripts/build` is a script of any kind."""

_OTHER_NAMES = {
    "python3": "python", "py3": "python", "cpython": "python", "node": "javascript", "nodejs": "javascript",
    "node.js": "javascript", "ecmascript": "javascript", "javascriptreact": "javascript", "react": "tsx",
    "typescriptreact": "tsx", "deno": "typescript", "golang": "go", "c#": "csharp", "c-sharp": "csharp",
    "dotnet": "csharp", ".net": "csharp", "f#": "fsharp", "cplusplus": "cpp", "objc": "objective-c",
    "rustlang": "rust", "shellscript": "shell", "posix": "shell", "terraform": "hcl",
}  # fmt: skip
_NO_LANGUAGES = frozenset(("text", "diff", "ignore", "csv", "tsv"))


def canonical_language(name: str) -> str | None:
    """The name that a language has here, for any spelling of it; None for one that nobody knows."""
    plain = name.strip().lower()
    found = _OTHER_NAMES.get(plain) or (
        plain if plain in _BY_SUFFIX.values() else language_of(f"x.{plain.lstrip('.')}")
    )
    return None if found in _NO_LANGUAGES else found


def language_of(path: str) -> str | None:
    """The language of a file, such as `python` or `typescript`; None when its name does not say."""
    written = posixpath.basename(path)
    name = written.lower()
    if written in _IN_CAPITALS or name in _BY_NAME:
        return _IN_CAPITALS.get(written) or _BY_NAME[name]
    if name.startswith(("dockerfile.", "containerfile.")):
        return "dockerfile"
    if name.startswith("makefile."):
        return "makefile"
    stem, dot, suffix = name.rpartition(".")
    return _BY_SUFFIX.get(suffix) if stem and dot else None
