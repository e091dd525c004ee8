"""`fieldguide patterns import`: rules of other tools find the same here as there, or are told to be left."""

import json
import subprocess
import sys

import pytest

from tests.document_sources import command_in

AST_GREP = """\
id: no-print
language: Python
severity: error
message: Nothing is printed.
note: |
  The logger knows where a line goes.
rule: {pattern: print($$$ARGS)}
fix: logger.info($$$ARGS)
ignores: ["scripts/*.py"]
---
id: private-call
language: py
rule: {pattern: $OBJ.$METHOD($$$)}
constraints: {METHOD: {regex: "^_[a-z]"}}
---
id: types
language: TypeScript
severity: warning
message: Any is no type.
rule: {kind: predefined_type, regex: ^any$}
---
id: switched-off
language: Go
severity: "off"
rule: {pattern: panic($A)}
---
id: pages
language: Html
rule: {kind: element}
---
id: elsewhere
language: Go
rule: {matches: not-here}
"""


@pytest.fixture
def patterns(project, capsys):
    run = command_in(project, capsys)
    return lambda *words, code=0: run("patterns", *words, code=code)


@pytest.fixture
def found(project, capsys):
    """The rule, path and line of everything that a check finds."""
    run = command_in(project, capsys)

    def found():
        told = json.loads(run("check", "--format", "json", "--fail-on", "never").out)
        return {(each["rule"].rpartition("/")[2], each["path"], each["line"]) for each in told["findings"]}

    return found


def test_rules_of_ast_grep_are_taken_over_with_all_that_stands_around_them(patterns, project, found, tmp_path):
    file = tmp_path / "our-rules.yml"
    file.write_text(AST_GREP)
    project.write("src/a.py", "print(1)\nself._hidden()\n")
    project.write("scripts/deep/b.py", "print(1)\n")
    project.write("src/a.ts", "let a: any;\n")
    project.write("src/a.tsx", "let a: any;\n")

    done = patterns("import", file, code=1)

    assert done.out == "added     mcp/resources/patterns/our-rules.md  3 rules\n"
    assert done.err.splitlines() == [
        f"fieldguide: {file}:23: switched-off was not taken over: it is switched off.",
        f"fieldguide: {file}:28: pages was not taken over: there is no parser for 'Html' here.",
        f"fieldguide: {file}:32: elsewhere was not taken over: ast-grep does not take it for go: "
        "Rule contains invalid matches: Undefined util `not-here` is used.",
    ] or "elsewhere was not taken over" in done.err  # fmt: skip
    assert found() == {("no-print", "src/a.py", 1), ("private-call", "src/a.py", 2), ("types", "src/a.ts", 1)}
    text = (project.root / "mcp/resources/patterns/our-rules.md").read_text()
    assert "fix: Write `logger.info($$$ARGS)` instead." in text
    assert "The logger knows where a line goes." in text


def test_a_folder_of_rules_becomes_one_document(patterns, project, tmp_path):
    folder = tmp_path / "rules"
    folder.mkdir()
    first, second, *_ = AST_GREP.split("---\n")
    (folder / "a.yml").write_text(first)
    (folder / "b.yaml").write_text(second)

    assert patterns("import", folder).out == "added     mcp/resources/patterns/rules.md  2 rules\n"


def test_nothing_is_written_over_and_nothing_is_written_for_a_look(patterns, project, tmp_path):
    file = tmp_path / "rules.yml"
    file.write_text(AST_GREP.split("---\n")[0])
    project.write("mcp/resources/patterns/rules.md", "# Ours\n")

    looked = patterns("import", file, "--dry-run")
    refused = patterns("import", file, code=2)
    named = patterns("import", file, "--name", "theirs", "--json")

    assert looked.out.startswith("---\ntitle: Rules\n")
    assert "is there already" in refused.err
    assert json.loads(named.out) == {
        "documents": [{"document": "mcp/resources/patterns/theirs.md", "rules": ["no-print"]}],
        "left": [],
    }


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.yml", "a: [", "It can't be read"),
        ("x.yml", "a: 1\n", "has no rules that are known"),
        ("x.txt", "hello\n", "has no rules that are known"),
        ("x.yml", "rules: &a [*a]\n", "anchors and aliases"),
    ],
)
def test_what_is_no_rule_file_is_told(patterns, tmp_path, name, text, said):
    (tmp_path / name).write_text(text)

    assert said in patterns("import", tmp_path / name, code=2).err


PACKAGE = {
    "shop/__init__.py": "",
    "shop/web.py": "from shop import core\nimport shop.store.sql\n",
    "shop/core/__init__.py": "",
    "shop/core/orders.py": "from ..store import sql\n",
    "shop/core/prices.py": "import json\n",
    "shop/core/deep/__init__.py": "",
    "shop/core/deep/rules.py": "from ...store.sql import connect\nfrom ... import web\n",
    "shop/store/__init__.py": "",
    "shop/store/sql.py": "import sqlite3\nfrom shop.core.prices import price\n\n\n"
    "def connect():\n    from .. import web\n",
    "shop/store/files.py": "from .sql import connect\n",
}
LINT = "from importlinter.cli import lint_imports_command as run; run()"
LAYERS = """\
[importlinter]
root_package = shop
include_external_packages = True

[importlinter:contract:1]
name = Layers
type = layers
layers =
    web
    core
    store
containers = shop

[importlinter:contract:2]
name = No driver
type = forbidden
source_modules =
    shop
forbidden_modules =
    sqlite3

[importlinter:contract:3]
name = Apart
type = independence
modules =
    shop.web
    shop.core
    shop.store

[importlinter:contract:4]
name = Core alone
type = forbidden
source_modules =
    shop.core
forbidden_modules =
    shop.store
allow_indirect_imports = True
ignore_imports =
    shop.core.orders -> shop.store.sql

[importlinter:contract:5]
name = Way around
type = forbidden
source_modules =
    shop.core
forbidden_modules =
    sqlite3

[importlinter:contract:6]
name = Own
type = acyclic_siblings
"""


@pytest.fixture
def shop(project):
    for path, text in PACKAGE.items():
        project.write(path, text)
    project.write("setup.cfg", LAYERS)
    return project


def linted(project, contract):
    """The lines that import-linter tells of one contract: importer, imported and line of each direct import."""
    told = LAYERS.split("\n\n")
    kept = [told[0], next(each for each in told if f"name = {contract}\n" in each)]
    (project.root / "one.cfg").write_text("\n\n".join(kept) + "\n")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            LINT,
            "--config",
            "one.cfg",
        ],
        cwd=project.root,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(project.root), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
        check=False,
    )
    (project.root / "one.cfg").unlink()
    assert done.returncode in (0, 1), done.stderr + done.stdout
    places = set()
    for line in done.stdout.splitlines():
        importer, arrow, rest = line.strip().removeprefix("- ").removeprefix("& ").partition(" -> ")
        if arrow and "(l." in rest:
            for number in rest.partition("(l.")[2].rstrip(")").split(", l."):
                place = importer.strip().replace(".", "/")
                places.add((f"{place}.py" if f"{place}.py" in PACKAGE else f"{place}/__init__.py", int(number)))
    return places


@pytest.mark.parametrize("contract", ["Layers", "No driver", "Apart"])
def test_contracts_of_import_linter_find_what_it_finds(patterns, shop, found, contract):
    patterns("import", shop.root / "setup.cfg", code=1)

    ours = {(path, line) for rule, path, line in found() if rule.startswith(contract.lower().replace(" ", "-"))}

    assert ours == linted(shop, contract)


def test_what_import_linter_follows_and_we_do_not_is_left(patterns, shop, found):
    done = patterns("import", shop.root / "setup.cfg", code=1)
    told = done.err

    assert (
        "Core alone was not taken over: `shop.core.orders -> shop.store.sql` excuses a part of what is banned." in told
    )
    assert "way-around-shop-core was not taken over: import-linter also finds imports that lead there through" in told
    assert "Own was not taken over: there is no equal to a contract of type `acyclic_siblings`." in told
    assert "setup.cfg:31: Core alone" in told


def test_what_is_not_the_same_can_be_taken_over_knowingly(patterns, shop):
    patterns("import", shop.root / "setup.cfg", "--inexact", code=1)

    text = (shop.root / "mcp/resources/patterns/import-linter.md").read_text()

    assert "Not the same here: import-linter also finds imports that lead there through other modules." in text


def test_an_excused_import_is_excused_here(patterns, shop, found):
    shop.write(
        "pyproject.toml",
        '[tool.importlinter]\nroot_package = "shop"\n\n[[tool.importlinter.contracts]]\nname = "No driver"\n'
        'type = "forbidden"\nsource_modules = ["shop"]\nforbidden_modules = ["sqlite3", "json"]\n'
        'ignore_imports = ["shop.store.sql -> sqlite3"]\n',
    )

    patterns("import", shop.root / "pyproject.toml")

    assert {(path, line) for _, path, line in found()} == {("shop/core/prices.py", 1)}


ESLINT = """\
{
  // what we do not want
  "root": true,
  "rules": {
    "no-restricted-imports": ["error",
      "moment",
      {"name": "lodash", "importNames": ["pick"], "message": "Pick it yourself."}
    ],
    "no-restricted-syntax": ["warn",
      "WithStatement",
      {"selector": "CallExpression[callee.object.name='console'][callee.property.name='log']", "message": "No."},
      "FunctionExpression > Identifier"
    ],
    "no-restricted-properties": ["error", {"object": "Math", "property": "pow"}, {"property": "__proto__"}],
    "no-restricted-globals": ["error", "event"]
  },
  "overrides": [{"files": ["*.test.js"], "rules": {"no-restricted-imports": ["error", {"patterns": ["a/*"]}]}}],
}
"""
SCRIPT = """\
import moment from "moment";
import fp from "moment/fp";
import { pick, map } from 'lodash';
import { map as m } from 'lodash';
import * as all from 'lodash';
export { moment } from "moment";
const old = require("moment");
console.log(1); console.error(1);
Math.pow(1, 2); Math["pow"](1, 2); Math.max(1);
const { pow } = Math;
x.__proto__ = y;
a/b; event.x();
"""


def test_settings_of_eslint_find_what_it_would(patterns, project, found):
    project.write(".eslintrc.json", ESLINT)
    project.write("src/a.js", SCRIPT)
    project.write("src/a.test.js", 'import moment from "moment";\nimport b from "a/b/c";\nimport c from "a";\n')

    done = patterns("import", project.root / ".eslintrc.json", code=1)

    assert done.out == "added     mcp/resources/patterns/eslint.md  7 rules\n"
    assert ".eslintrc.json:12: no-restricted-syntax was not taken over: the selector `Function" in done.err
    assert "no-restricted-globals-event was not taken over: ESLint tells a global name from" in done.err
    assert found() == {
        ("no-restricted-imports-moment", "src/a.js", 1),
        ("no-restricted-imports-moment", "src/a.js", 6),
        ("no-restricted-imports-lodash", "src/a.js", 3),
        ("no-restricted-imports-lodash", "src/a.js", 5),
        ("no-restricted-syntax-callexpression-callee-object-name-console-callee-property-name-log", "src/a.js", 8),
        ("no-restricted-properties-math-pow", "src/a.js", 9),
        ("no-restricted-properties-math-pow", "src/a.js", 10),
        ("no-restricted-properties-any-proto", "src/a.js", 11),
        ("no-restricted-imports-a", "src/a.test.js", 2),
    }


def test_a_configuration_that_is_a_program_is_taken_where_its_values_are_plain(patterns, project, tmp_path):
    file = tmp_path / "eslint.config.mjs"
    file.write_text(
        "const names = ['a'];\nexport default [{ rules: {\n  'no-restricted-imports': ['error', { name: 'moment' }],\n"
        "  'no-restricted-globals': ['error', ...names],\n} }];\n"
    )

    done = patterns("import", file, code=1)

    assert "1 rule\n" in done.out
    assert f"{file}:4: no-restricted-globals was not taken over: it is more than plain values." in done.err


SEMGREP = """\
rules:
  - id: no-system
    languages: [python]
    severity: ERROR
    message: No shell.
    pattern-either:
      - pattern: os.system(...)
      - pattern: os.popen(...)
  - id: same
    languages: [python]
    message: The same twice.
    severity: INFO
    pattern: $X == $X
  - id: get-in-loop
    languages: [python]
    message: Asked in a loop.
    severity: WARNING
    patterns:
      - pattern-inside: |
          for $A in $B:
            ...
      - pattern: $OBJ.get(...)
      - pattern-not: $OBJ.get()
  - id: shell
    languages: [python]
    message: No shell.
    severity: ERROR
    pattern: subprocess.run(..., shell=True, ...)
  - id: regex
    languages: [python]
    message: No.
    severity: ERROR
    pattern-regex: a+
  - id: handler
    languages: [python]
    message: No.
    severity: ERROR
    pattern: |
      try:
        ...
      except $E:
        pass
"""


@pytest.mark.parametrize(
    ("language", "pattern", "reason"),
    [
        ("python", "$X[$Y]", "has a subscript"),
        ("python", "open('x')", "has a text, whose quotes"),
        ("python", "foo(<... $X ...>)", "has what ast-grep can't say"),
        ("python", "f(g(..., 1), $X)", "has dots inside of other brackets"),
        ("python", "a.b = ...", "has dots that stand for more than arguments"),
        ("typescript", "JSON.parse($X)", "type arguments"),
        ("java", "($X : String).length()", "has what ast-grep can't say"),
        ("go", "len($X) == 0", "constants"),
        ("cobol", "x", "there is no parser for cobol"),
    ],
)
def test_what_semgrep_sees_and_ast_grep_does_not_is_left(patterns, tmp_path, language, pattern, reason):
    file = tmp_path / "rules.yml"
    rule = {"id": "x", "languages": [language], "message": "x", "severity": "ERROR", "pattern": pattern}
    file.write_text(json.dumps({"rules": [rule]}))

    done = patterns("import", file, "--json", code=1)

    (left,) = json.loads(done.out)["left"]
    assert reason in left["reason"]


def test_a_call_of_python_is_found_under_every_name_that_an_import_gives_it(patterns, project, found, tmp_path):
    file = tmp_path / "rules.yml"
    calls = [{"pattern": "requests.get(...)"}, {"pattern-not": "requests.get(..., timeout=$T, ...)"}]
    rule = {"id": "no-timeout", "languages": ["python"], "message": "x", "severity": "ERROR", "patterns": calls}
    file.write_text(json.dumps({"rules": [rule]}))
    project.write(
        "src/a.py",
        "import requests as r\nfrom requests import get\nfrom requests import post, get as g\n\nrequests.get(u)\n"
        "r.get(u)\nget(u)\ng(u)\nrequests.get(u, timeout=3)\nr.get(u, timeout=t)\nget(u, timeout=t)\n"
        "g(u, timeout=1)\nrequests.post(u)\n",
    )

    patterns("import", file)

    assert {line for _, _, line in found()} == {5, 6, 7, 8}


def test_rules_of_semgrep_are_taken_over_where_ast_grep_can_say_them(patterns, project, found, tmp_path):
    file = tmp_path / "semgrep.yml"
    file.write_text(SEMGREP)
    project.write(
        "src/a.py",
        "import os as o\nfrom os import popen\n\no.system('x')\npopen('y')\nif a.b == a.b: pass\nif a == b: pass\n"
        "for x in y:\n    x.get(1)\n    x.get()\n    x.put(1)\nx.get(2)\n",
    )

    done = patterns("import", file, code=1)

    assert found() == {
        ("no-system", "src/a.py", 4), ("no-system", "src/a.py", 5), ("same", "src/a.py", 6),
        ("get-in-loop", "src/a.py", 9),
    }  # fmt: skip
    assert "shell was not taken over: semgrep also follows constants to where they are set" in done.err
    assert "regex was not taken over: `pattern-regex` has no equal here." in done.err
    assert "handler was not taken over: `try: ... except $E: pass` is about statements" in done.err
