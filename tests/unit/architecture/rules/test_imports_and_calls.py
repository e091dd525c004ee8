"""Forbidden and required imports and calls: in four languages, under other names, and not where only words say so."""

import pytest

from tests.unit.architecture.rules.documents import declared, lines_of, places_of

NO_DRIVER = """
- id: no-driver
  message: No driver here.
  forbid-import: [sqlite3, "django.db.*", "database/sql", pg, "../infrastructure/*", "javax.persistence.*"]
"""
NO_CALLS = """
- id: no-calls
  message: Not this.
  forbid-call: [print, "*.execute", os.system, subprocess.run, "new Date", console.log, fmt.Println, System.out.println]
"""


@pytest.mark.parametrize(
    ("language", "code", "lines"),
    [
        ("python", "import os\nimport sqlite3\n", [2]),
        ("python", "from django.db import models\n", [1]),
        ("python", "from django.db.models import F\n", [1]),
        ("python", "import sqlite3_tools\nfrom django import forms\nfrom .pg import x\n", []),
        ("python", "# import sqlite3\nx = 'import sqlite3'\n", []),
        ("python", "def f():\n    import sqlite3 as s\n", [2]),
        ("typescript", "import { Pool } from 'pg';\nimport x from 'pg-promise';\n", [1]),
        ("typescript", 'import db from "../../infrastructure/db";\n', [1]),
        ("typescript", "const { Pool } = require('pg');\n", [1]),
        ("typescript", "// import pg from 'pg'\nconst s = \"from 'pg'\";\n", []),
        ("go", 'package a\nimport (\n\t"fmt"\n\t"database/sql"\n)\n', [4]),
        ("go", 'package a\n// "database/sql"\nimport "fmt"\n', []),
        ("java", "import javax.persistence.Entity;\nimport java.util.List;\nclass A {}\n", [1]),
        ("java", "import javax.persistence.*;\nclass A {}\n", [1]),
    ],
)
def test_a_forbidden_import_is_found_where_it_is_written(language, code, lines):
    assert lines_of(declared(NO_DRIVER), code, language) == lines


@pytest.mark.parametrize(
    ("language", "code", "lines"),
    [
        ("python", "print('a')\n", [1]),
        ("python", "self.print('a')\nprinter.print(1)\n", []),
        ("python", "# print(1)\nx = 'print(1)'\n'''print(2)'''\n", []),
        ("python", "cursor.execute(q)\nexecute(q)\n", [1]),
        ("python", "a.b(c).execute(q)\n", [1]),
        ("python", "import os\nos.system('ls')\n", [2]),
        ("python", "from os import system\nsystem('ls')\n", [2]),
        ("python", "from os import system as s\ns('ls')\n", [2]),
        ("python", "import subprocess as sp\nsp.run([])\n", [2]),
        ("python", "x = f'{print(1)}'\n", [1]),
        ("typescript", "const d = new Date();\nconst e = Date();\n", [1]),
        ("typescript", "console.log(1);\nthis.console.log(2);\nconsole?.log(3);\n", [1, 3]),
        ("typescript", "const s = `console.log(${console.log(1)})`;\n", [1]),
        ("go", 'package a\nfunc f() { fmt.Println("x") }\n', [2]),
        ("go", 'package a\nimport f "fmt"\nfunc g() { f.Println("x") }\n', [3]),
        ("java", 'class A { void f() { System.out.println("x"); } }\n', [1]),
        ("java", "class A { void f() { xs.forEach(System.out::println); new Date(); } }\n", [1]),
        ("java", 'class A { String s = "System.out.println(1)"; /* new Date() */ }\n', []),
    ],
)
def test_a_forbidden_call_is_found_by_its_callee_under_any_name_it_was_imported_as(language, code, lines):
    assert lines_of(declared(NO_CALLS), code, language) == lines


def test_one_of_the_required_imports_or_calls_is_enough():
    pattern = declared("""
        - id: needs-logging
          message: Use the logger.
          require-import: [logging, structlog]
        - id: needs-setup
          message: Set it up.
          require-call: ["*.basicConfig", setup]
    """)

    assert places_of(pattern, "import structlog\nsetup()\n", "python") == []
    assert places_of(pattern, "x = 1\n", "python") == [("needs-logging", 1), ("needs-setup", 1)]


def test_a_plain_name_is_a_package_from_outside_and_a_glob_also_a_folder_of_the_project():
    pattern = declared("""
        - id: no-requests
          message: Not here.
          forbid-import: requests
        - id: no-infrastructure
          message: Not here.
          forbid-import: ["infrastructure.*", "**/infrastructure/**"]
    """)

    assert places_of(pattern, "from .requests import Order\n", "python") == []
    assert places_of(pattern, "from ..infrastructure import db\n", "python") == [("no-infrastructure", 1)]
    assert places_of(pattern, "import x from '@/infrastructure/db';\n", "ts") == [("no-infrastructure", 1)]
    assert places_of(pattern, 'package a\nimport "github.com/a/b/infrastructure/db"\n', "go") == [
        ("no-infrastructure", 2)
    ]
