"""Where a rule holds: inside, outside, when, for which languages and files."""

from tests.unit.architecture.rules.documents import declared, places_of


def test_a_finding_counts_only_inside_or_outside_of_what_the_rule_names():
    pattern = declared("""
        - id: no-sql-in-services
          message: Not in a service.
          forbid-call: "*.execute"
          inside: {class: "*Service"}
        - id: sql-in-repositories
          message: Only in a repository.
          forbid-call: "*.execute"
          outside: {class: "*Repository", function: migrate}
    """)
    code = """
        class OrderService:
            def f(self):
                db.execute(1)
        class OrderRepository:
            def f(self):
                db.execute(2)
        def migrate():
            db.execute(3)
        db.execute(4)
    """

    assert places_of(pattern, code, "python") == [
        ("no-sql-in-services", 4),
        ("sql-in-repositories", 4),
        ("sql-in-repositories", 10),
    ]


def test_a_method_of_go_is_inside_the_type_it_is_written_for():
    pattern = declared('- id: a\n  message: A.\n  forbid-call: panic\n  inside: {class: "*Repository"}')

    code = "package a\ntype R struct{}\nfunc (r *OrderRepository) F() { panic(1) }\nfunc G() { panic(2) }\n"
    assert places_of(pattern, code, "go") == [("a", 3)]


def test_inside_a_class_and_a_function_means_both():
    pattern = declared('- id: a\n  message: A.\n  forbid-call: f\n  inside: {class: "*Service", method: run}')
    code = "class AService:\n    def run(self): f()\n    def go(self): f()\ndef run(): f()\n"

    assert places_of(pattern, code, "python") == [("a", 2)]


def test_what_is_required_inside_a_class_is_required_of_each_such_class():
    pattern = declared("""
        - id: call-super
          message: Call super.
          require-call: super().__init__
          inside: {class: "*Repository"}
    """)
    code = """
        class ARepository:
            def __init__(self):
                super().__init__()
        class BRepository:
            pass
        class Other:
            pass
    """

    assert places_of(pattern, code, "python") == [("call-super", 5)]


def test_an_import_counts_as_inside_where_the_file_has_such_a_definition():
    pattern = declared("""
        - id: no-driver
          message: No driver.
          inside: {class: "*Service"}
          forbid-import: sqlite3
    """)

    assert places_of(pattern, "import sqlite3\nclass A: ...\n", "python") == []
    assert places_of(pattern, "import sqlite3\nclass AService: ...\n", "python") == [("no-driver", 1)]


def test_languages_of_a_rule_go_before_those_of_its_document():
    pattern = declared(
        "- id: go-only\n  message: A.\n  languages: golang\n  forbid-call: f\n- id: b\n  message: B.\n  forbid-"
        "call: f\n",
        more="languages: [py, TypeScript]\n",
    )

    assert places_of(pattern, "f()\n", "python") == [("b", 1)]
    assert places_of(pattern, "f();\n", "tsx") == [("b", 1)]
    assert places_of(pattern, "package a\nfunc g() { f() }\n", "go") == [("go-only", 2)]


def test_globs_of_files_count_when_the_path_is_known():
    pattern = declared("""
        - id: a
          message: A.
          forbid-call: f
          files: ["src/**"]
          except-files: ["src/tests/**"]
    """)

    assert places_of(pattern, "f()\n", "python", "src/a.py") == [("a", 1)]
    assert places_of(pattern, "f()\n", "python", "src/tests/a.py") == []
    assert places_of(pattern, "f()\n", "python", "lib/a.py") == []
    assert places_of(pattern, "f()\n", "python") == [("a", 1)]
