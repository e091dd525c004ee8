"""What resolvers may see of a project: its own files, nothing outside it, and no listing without need."""

import pytest

from fieldguide.confinement import ConfinedFolder
from fieldguide.source_code.imports import ConfinedFiles, read_imports, resolve_imports
from tests.proves import proves
from tests.unit.context.import_trees import grow, resolve


@proves("S3-38")
@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", "from ...... import secret\nimport outside.secret\n"),
        ("a.ts", "import '../outside/secret'; import '/etc/passwd'; import './node_modules/x'; import './.env'\n"),
        ("a.ts", "import './link'; import './linked/secret'; import '../../../../../../etc/passwd'\n"),
        ("a.c", '#include "../outside/secret.h"\n#include "/etc/passwd"\n#include "linked/secret.h"\n'),
        (
            "a.php",
            "<?php\nrequire '../outside/secret.php';\nrequire '/etc/passwd';\nrequire './linked/secret.php';\n",
        ),
        ("a.rb", "require_relative '../outside/secret'\nrequire '/etc/passwd'\nload 'linked/secret.rb'\n"),
        ("a.rs", '#[path = "../outside/secret.rs"]\nmod a;\n#[path = "linked/secret.rs"]\nmod b;\n'),
        ("a.go", 'package a\nimport "../outside"\nimport "./linked"\n'),
    ],
)
def test_nothing_outside_the_project_and_nothing_refused_is_ever_named(tmp_path, path, source):
    outside = tmp_path / "outside"
    for ending in ("py", "ts", "h", "php", "rb", "rs", "go"):
        grow(outside, {f"secret.{ending}": ""})
    project = tmp_path / "project"
    grow(project, {path: source, "node_modules/x/index.js": "", ".env": "", ".git/config": ""})
    (project / "link.ts").symlink_to(outside / "secret.ts")
    (project / "linked").symlink_to(outside)

    found = resolve(project, path)

    assert found.internal == []
    assert found.external != []


def test_a_link_inside_the_project_is_a_file_of_it(tmp_path):
    grow(tmp_path, {"a.ts": "import './b'", "real.ts": ""})
    (tmp_path / "b.ts").symlink_to("real.ts")

    assert resolve(tmp_path, "a.ts").internal == ["b.ts"]


def test_a_config_that_points_outside_gives_nothing(tmp_path):
    project = tmp_path / "project"
    grow(tmp_path, {"secret.ts": "", "Secret.php": ""})
    grow(
        project,
        {
            "tsconfig.json": '{"extends": "../x", "compilerOptions": {"baseUrl": "..", "paths": {"@/*": ["../*"]}}}',
            "composer.json": r'{"autoload": {"psr-4": {"A\\": "../"}}}',
            "a.ts": "import '@/secret'; import 'secret'",
            "a.php": "<?php\nuse A\\Secret;\n",
        },
    )

    assert resolve(project, "a.ts") == ([], ["@/secret", "secret"])
    assert resolve(project, "a.php") == ([], ["A\\Secret"])


def test_the_listing_is_asked_for_at_most_once_a_file_and_only_when_it_is_needed(tmp_path):
    grow(tmp_path, {"a.py": "import b\n", "b.py": "", "c.py": "import d\nimport e\nimport f\n", "x/y/d.py": ""})
    asked: list[int] = []
    paths = ("a.py", "b.py", "c.py", "x/y/d.py")

    def listed() -> tuple[str, ...]:
        asked.append(1)
        return paths

    files = ConfinedFiles(ConfinedFolder(str(tmp_path)), listed)

    near = resolve_imports("a.py", read_imports("import b\nimport os\n", "python"), "python", files)
    asked_near = len(asked)
    far = resolve_imports("c.py", read_imports("import d\nimport e\nimport f\n", "python"), "python", files)

    assert (near, asked_near) == ((["b.py"], ["os"]), 0)
    assert (far, len(asked)) == ((["x/y/d.py"], ["e", "f"]), 1)


def test_what_was_made_of_a_listing_is_kept_until_another_one_comes(tmp_path):
    grow(tmp_path, {"a.cs": "using N;\n", "b.cs": "namespace N;\n"})
    now = ("a.cs", "b.cs")
    listings = [now, now, ("a.cs", "b.cs", "c.cs")]
    files = ConfinedFiles(ConfinedFolder(str(tmp_path)), lambda: listings.pop(0))
    imports = read_imports("using N;\n", "csharp")

    first = resolve_imports("a.cs", imports, "csharp", files).internal
    (tmp_path / "c.cs").write_text("namespace N;\n", encoding="utf-8")
    same = resolve_imports("a.cs", imports, "csharp", files).internal
    newer = resolve_imports("a.cs", imports, "csharp", files).internal

    assert (first, same, newer) == (["b.cs"], ["b.cs"], ["b.cs", "c.cs"])


def test_a_language_without_a_resolver_imports_nothing(tmp_path):
    grow(tmp_path, {"a.md": "import b"})

    assert resolve(tmp_path, "a.md") == ([], [])
