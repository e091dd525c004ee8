"""The language of a file, by its name."""

import pytest

from fieldguide.files.kinds import language_of
from tests.proves import proves


@proves("S3-28")
@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/app.py", "python"),
        ("stubs/app.pyi", "python"),
        ("web/index.ts", "typescript"),
        ("web/types.d.ts", "typescript"),
        ("web/view.tsx", "tsx"),
        ("web/old.cjs", "javascript"),
        ("main.go", "go"),
        ("src/lib.rs", "rust"),
        ("A.java", "java"),
        ("A.kt", "kotlin"),
        ("a.h", "c"),
        ("a.hpp", "cpp"),
        ("A.cs", "csharp"),
        ("a.rb", "ruby"),
        ("a.php", "php"),
        ("README.MD", "markdown"),
        ("a/b.yml", "yaml"),
        ("Cargo.lock", "toml"),
        ("run.sh", "shell"),
        ("schema.sql", "sql"),
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("Makefile", "makefile"),
        ("CMakeLists.txt", "cmake"),
        ("Gemfile", "ruby"),
        (".bashrc", "shell"),
    ],
)
def test_a_name_says_the_language(path, language):
    assert language_of(path) == language


@pytest.mark.parametrize("path", ["data", "a/.py", "archive.unknown", "", "folder.ts/data", "."])
def test_a_name_that_says_nothing_has_no_language(path):
    assert language_of(path) is None


@pytest.mark.parametrize(
    ("path", "language"), [("a/BUILD", "starlark"), ("WORKSPACE", "starlark"), ("scripts/build", None)]
)
def test_names_that_are_words_too_count_in_capitals_only(path, language):
    assert language_of(path) == language
