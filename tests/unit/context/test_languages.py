"""The language of a file, by its name."""

from fieldguide.files.kinds import language_of
from tests.proves import proves

LANGUAGES = {
    "src/app.py": "python", "stubs/app.pyi": "python", "web/index.ts": "typescript", "web/types.d.ts": "typescript",
    "web/view.tsx": "tsx", "web/old.cjs": "javascript", "main.go": "go", "src/lib.rs": "rust", "A.java": "java",
    "A.kt": "kotlin", "a.h": "c", "a.hpp": "cpp", "A.cs": "csharp", "a.rb": "ruby", "a.php": "php",
    "README.MD": "markdown", "a/b.yml": "yaml", "Cargo.lock": "toml", "run.sh": "shell", "schema.sql": "sql",
    "Dockerfile": "dockerfile", "docker/Dockerfile.dev": "dockerfile", "Makefile": "makefile",
    "CMakeLists.txt": "cmake", "Gemfile": "ruby", ".bashrc": "shell",
    "a/BUILD": "starlark", "WORKSPACE": "starlark", "scripts/build": None,  # these count in capitals only
    "data": None, "a/.py": None, "archive.unknown": None, "": None, "folder.ts/data": None, ".": None,
}  # fmt: skip


@proves("S3-28")
def test_a_name_says_the_language():
    assert {path: language_of(path) for path in LANGUAGES} == LANGUAGES
