"""JavaScript's and TypeScript's imports to the files of a project."""

import pytest

from tests.unit.context.import_trees import grow, internal, resolve


@pytest.mark.parametrize(
    ("written", "file"),
    [
        ("./a", "src/a.ts"),
        ("./a.js", "src/a.ts"),
        ("./view", "src/view.tsx"),
        ("./view.jsx", "src/view.tsx"),
        ("./types", "src/types.d.ts"),
        ("./util", "src/util/index.ts"),
        ("./util/", "src/util/index.ts"),
        ("..", "index.ts"),
        (".", "src/index.ts"),
        ("../data.json", "data.json"),
        ("./icon.svg?raw", "src/icon.svg"),
        ("./m.mjs", "src/m.mts"),
        ("./a.config", "src/a.config.ts"),
        ("./Card.vue", "src/Card.vue"),
        ("./lib", "src/lib/entry.js"),
    ],
)
def test_a_relative_name_finds_its_file(tmp_path, written, file):
    grow(tmp_path, {"src/main.ts": f"import x from '{written}';\n", file: ""})
    if written == "./lib":
        grow(tmp_path, {"src/lib/package.json": '{"main": "./entry.js"}'})

    assert resolve(tmp_path, "src/main.ts") == ([file], [])


def test_a_script_prefers_scripts_and_a_typescript_file_prefers_sources(tmp_path):
    grow(tmp_path, {"x.js": "", "x.ts": "", "a.js": "import './x.js'", "b.ts": "import './x.js'"})

    assert resolve(tmp_path, "a.js").internal == ["x.js"]
    assert resolve(tmp_path, "b.ts").internal == ["x.ts"]


def test_files_for_several_platforms_are_all_meant(tmp_path):
    files = {"a.js": "import x from './x'", "x.ios.js": "", "x.android.js": ""}

    assert internal(tmp_path, files, "a.js") == ["x.ios.js", "x.android.js"]


TSCONFIG = """{
  // aliases
  "extends": "./config/base",
  "compilerOptions": { "strict": true, /* "paths": {} */ },
}"""
BASE = """{"compilerOptions": {"baseUrl": "..", "paths": {
  "@/*": ["src/*"], "@ui/*": ["missing/*", "packages/ui/src/*"], "config": ["src/config/index.ts"]}}}"""


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("@/deep/a", ["src/deep/a.ts"]),
        ("@ui/Button", ["packages/ui/src/Button.tsx"]),
        ("config", ["src/config/index.ts"]),
        ("src/deep/a", ["src/deep/a.ts"]),
        ("@/nowhere", []),
        ("react", []),
    ],
)
def test_aliases_of_a_tsconfig_with_comments_that_extends_another(tmp_path, written, found):
    files = {
        "tsconfig.json": TSCONFIG, "config/base.json": BASE, "src/deep/a.ts": "", "src/config/index.ts": "",
        "packages/ui/src/Button.tsx": "", "src/main.ts": f"import x from '{written}'",
    }  # fmt: skip

    assert internal(tmp_path, files, "src/main.ts") == found


def test_aliases_may_stand_in_a_referenced_config_and_folders_may_lie_over_each_other(tmp_path):
    files = {
        "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
        "tsconfig.app.json": '{"compilerOptions": {"paths": {"~/*": ["./app/*"]}, "rootDirs": ["app", "generated"]}}',
        "app/a.ts": "import '~/b'; import './c'",
        "app/b.ts": "",
        "generated/c.ts": "",
    }

    assert internal(tmp_path, files, "app/a.ts") == ["app/b.ts", "generated/c.ts"]


WORKSPACE = {
    "package.json": """{"name": "root", "workspaces": ["packages/*"],
        "imports": {"#log": "./src/log.js", "#d/*": "./src/d/*.js"}}""",
    "packages/core/package.json": """{"name": "@acme/core", "exports": {
        ".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"},
        "./math": "./dist/math.js", "./x/*": {"default": "./dist/x/*.js"}}}""",
    "packages/core/src/index.ts": "",
    "packages/core/src/math.ts": "",
    "packages/core/src/x/y.ts": "import '@acme/core/math'",
    "packages/old/package.json": '{"name": "old", "main": "lib/main.js"}',
    "packages/old/lib/main.js": "",
    "packages/old/lib/part.js": "",
    "src/log.ts": "",
    "src/d/e.ts": "",
    "node_modules/left-pad/index.js": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("@acme/core", ["packages/core/src/index.ts"]),
        ("@acme/core/math", ["packages/core/src/math.ts"]),
        ("@acme/core/x/y", ["packages/core/src/x/y.ts"]),
        ("@acme/core/src/math", ["packages/core/src/math.ts"]),
        ("old", ["packages/old/lib/main.js"]),
        ("old/lib/part", ["packages/old/lib/part.js"]),
        ("#log", ["src/log.ts"]),
        ("#d/e", ["src/d/e.ts"]),
        ("left-pad", []),
        ("node:fs", []),
        ("@acme/absent", []),
    ],
)
def test_packages_of_a_workspace_by_name_exports_and_imports(tmp_path, written, found):
    assert internal(tmp_path, WORKSPACE | {"src/main.ts": f"import '{written}'"}, "src/main.ts") == found


def test_a_package_may_import_itself_by_its_name(tmp_path):
    assert internal(tmp_path, WORKSPACE, "packages/core/src/x/y.ts") == ["packages/core/src/math.ts"]


@pytest.mark.parametrize(
    "config", ["{", "[]", '{"extends": "./tsconfig.json"}', '{"compilerOptions": {"paths": 7}}', ""]
)
def test_a_broken_or_circular_config_is_no_config(tmp_path, config):
    grow(tmp_path, {"tsconfig.json": config, "package.json": config, "a.ts": "import './b'; import 'c'", "b.ts": ""})

    assert resolve(tmp_path, "a.ts") == (["b.ts"], ["c"])
