"""Rules that depend on where code lies, for code that does not say so: told, and never passed over in silence."""

from fieldguide.toolsets.architecture.rules import check_code, read_pattern

COMPONENTS = read_pattern("ui", "# UI\n\n## Common Pitfalls\n\nComponents must not call `fetch`.\n")
DOMAIN = read_pattern(
    "domain",
    "---\nrules:\n  - id: no-http\n    message: No HTTP here.\n    files: ['src/domain/**']\n"
    "    forbid-import: [fastapi]\n---\n# Domain\n",
)
CART = "export function Cart() {\n  useEffect(() => { fetch('/x') }, []);\n  return <p/>;\n}\n"


def test_a_rule_for_a_role_that_the_code_does_not_show_is_told_as_not_checked():
    report = check_code(COMPONENTS, CART, "tsx")

    assert report.findings == ()
    assert report.suggestions == (
        "Not checked: Components must not call `fetch`. The code does not show what it is; "
        "put its path in a first comment. (line 5)",
    )


def test_a_path_in_the_first_comment_shows_the_role():
    report = check_code(COMPONENTS, f"// src/components/Cart.tsx\n{CART}", "tsx")

    assert [(finding.line, finding.document_line) for finding in report.findings] == [(3, 5)]


def test_code_that_could_break_nothing_is_not_told_of():
    report = check_code(COMPONENTS, "export const total = 1;\n", "typescript")

    assert (report.findings, report.suggestions) == ((), ())


def test_a_rule_for_some_files_is_applied_without_a_path_and_says_where_it_holds():
    report = check_code(DOMAIN, "import fastapi\n", "python")

    assert [finding.rule for finding in report.findings] == ["no-http"]
    assert any("holds only in src/domain/**" in suggestion for suggestion in report.suggestions)


def test_a_path_in_the_first_comment_decides_which_rules_hold():
    elsewhere = check_code(DOMAIN, "# src/api/orders.py\nimport fastapi\n", "python")
    there = check_code(DOMAIN, "# src/domain/orders.py\nimport fastapi\n", "python")

    assert elsewhere.findings == ()
    assert [finding.line for finding in there.findings] == [2]
