"""What resolvers may see of a project: its own files, nothing outside it, and no listing without need."""

import os
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from fieldguide.code.imports.languages import parse_imports, read_imports, resolve_imports
from fieldguide.code.imports.project_files import ConfinedFiles, ProjectListing
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import language_of
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
        ("a.php", "<?php\nrequire '../outside/secret.php';\nrequire '/etc/passwd';\nrequire './linked/secret.php';\n"),
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


UNRESOLVABLE = {
    "a/b/c/x.py": "import missing_{0}.inner\nfrom .absent_{0} import name\nimport single_{0}\n",
    "a/b/c/x.js": "import x{0} from './missing_{0}/y';\nimport y{0} from 'package-{0}/z';\n",
    "a/b/c/x.ts": "import x{0} from '@/missing_{0}/y';\n",
    "a/b/c/X.java": "import com.missing{0}.Thing{0};\n",
    "a/b/c/X.kt": "import com.missing{0}.Thing{0}\n",
    "a/b/c/x.c": '#include "missing_{0}/y.h"\n',
    "a/b/c/x.rb": "require 'missing_{0}/y'\nrequire_relative '../absent_{0}'\n",
    "a/b/c/x.rs": "use crate::missing_{0}::Thing;\n",
    "a/b/c/X.cs": "using Missing{0}.Inner;\n",
    "a/b/c/x.php": "require 'missing_{0}/y.php';\n",
    "a/b/c/x.go": 'import "example.com/missing_{0}/y"\n',
}
MOST_LOOKS = 200


@proves("S3-31")
@pytest.mark.parametrize("path", sorted(UNRESOLVABLE))
def test_imports_that_lead_nowhere_cost_a_look_at_each_folder_and_not_at_each_name(tmp_path, monkeypatch, path):
    opening = {"php": "<?php\n", "go": "package x\n"}.get(path.rpartition(".")[2], "")
    source = opening + "".join(UNRESOLVABLE[path].format(number) for number in range(1_000))
    config = {"tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}'}
    grow(tmp_path, {path: source, "src/there.py": "", "go.mod": "module example.com\n", **config})
    looks, opened = 0, os.open

    def counted(*given, **named):
        nonlocal looks
        looks += 1
        return opened(*given, **named)

    monkeypatch.setattr(os, "open", counted)
    found = resolve(tmp_path, path)

    assert len(found.external) >= 1_000
    assert looks < MOST_LOOKS


MOST_CALLS = 120  # for each import; every ending at every place takes JavaScript 400


@proves("S3-31")
@pytest.mark.parametrize("path", ["a/b/c/x.py", "a/b/c/x.js", "a/b/c/x.ts", "a/b/c/x.c", "a/b/c/x.go"])
def test_an_import_that_leads_nowhere_takes_few_steps_however_many_files_there_are(tmp_path, path):
    source = "".join(UNRESOLVABLE[path].format(number) for number in range(1_000))
    grow(tmp_path, {path: source, "src/there.py": ""})
    listed = tuple(f"packages/p{number}/{name}" for number in range(1_000) for name in ("__init__.py", "y.h", "y.go"))
    language = language_of(path) or ""
    imports = read_imports(f"package x\n{source}" if language == "go" else source, language)
    files = ConfinedFiles(ConfinedFolder(str(tmp_path)), lambda: listed)

    calls = called(lambda: resolve_imports(path, imports, language, files))

    assert sum(calls.values()) < MOST_CALLS * len(imports)


@proves("S3-31")
@pytest.mark.parametrize("path", ["a/b/c/x.py", "a/b/c/x.js", "a/b/c/x.ts"])
def test_imports_without_damage_are_searched_for_it_all_at_once(path):
    source = "".join(UNRESOLVABLE[path].format(number) for number in range(1_000))
    language = language_of(path) or ""

    calls = called(lambda: parse_imports(source, language))

    assert calls["find"] + calls["find_all"] < 10


def called(run: Callable[[], Any]) -> Counter[str]:
    """How often each function was called, of ours or of the interpreter."""
    counted: Counter[str] = Counter()

    def count(frame: Any, event: str, argument: Any) -> None:
        if event == "c_call":
            counted[argument.__name__] += 1
        elif event == "call":
            counted[frame.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return counted


@pytest.mark.parametrize("end", ["y.h", "p1/y.h", "packages/p1/y.h", "1/y.h", "p1/z.h", "z.h"])
def test_paths_are_found_by_their_end_whether_few_or_many_have_the_name(end):
    many = ProjectListing([f"packages/p{number}/y.h" for number in range(100)] + ["y.h"])
    expected = [path for path in many.paths if f"/{path}".endswith(f"/{end}")]

    assert sorted(many.ending(end)) == sorted(expected)
    assert ProjectListing(many.paths[:2]).ending("p1/y.h") == ["packages/p1/y.h"]


def test_a_module_below_a_linked_folder_is_found_by_its_name(tmp_path):
    grow(tmp_path, {"a.py": "import linked.inner\n", "real/inner.py": ""})
    (tmp_path / "linked").symlink_to("real")

    assert resolve(tmp_path, "a.py").internal == ["linked/inner.py"]
