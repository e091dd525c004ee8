"""What each event of a client puts before the model."""

import pytest

from fieldguide.text.tokens import count_exact_tokens
from tests.proves import proves

TASK = "Reserve the stock of a basket before place_order is called"
EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "shop/orders.py"}}


@proves("H-1")
def test_a_task_gets_a_map_of_likely_files(hooks):
    text = hooks.context("prompt", prompt=TASK)

    assert "1. shop/orders.py (" in text
    assert "OrderLedger" in text
    assert count_exact_tokens(text) <= 500


@proves("H-1")
@pytest.mark.parametrize("prompt", ["yes", "continue", "commit this", "push it to main", "thanks!", "/clear", ""])
def test_what_is_no_task_gets_nothing(hooks, prompt):
    assert hooks.answer("prompt", prompt=prompt) == {}


@proves("H-1")
@pytest.mark.parametrize("prompt", ["Why do volcanoes erupt near margins?", "What first happens in an opera by Verdi"])
def test_a_task_for_which_no_place_is_likely_gets_nothing(hooks, prompt):
    assert hooks.answer("prompt", session="elsewhere", prompt=prompt) == {}


@proves("H-2")
def test_the_same_words_are_answered_once_in_a_session(hooks):
    assert hooks.context("prompt", session="once", prompt=TASK)
    assert hooks.answer("prompt", session="once", prompt=f"  {TASK}\n") == {}
    assert hooks.context("prompt", session="another", prompt=TASK)


@proves("H-2")
def test_a_session_whose_context_was_cleared_is_told_again(hooks):
    assert hooks.context("prompt", session="cleared", prompt=TASK)
    hooks.answer("session", session="cleared", source="clear")

    assert hooks.context("prompt", session="cleared", prompt=TASK)


@proves("H-3")
def test_a_session_begins_with_the_project_in_counts(hooks):
    text = hooks.context("session", session="counts", source="startup")

    assert "python files of code" in text
    assert "1 decisions" in text
    assert count_exact_tokens(text) <= 150


@proves("H-3")
def test_a_session_tells_what_changed_since_the_last(hooks):
    hooks.answer("session", session="before", source="startup")
    kept = hooks.project.state / "hooks" / "last-session.json"
    kept.write_text(kept.read_text().replace('"decisions": 1', '"decisions": 7'))

    assert "Since the last session: decisions 7 → 1." in hooks.context("session", session="after", source="startup")


@proves("H-4")
def test_before_an_edit_what_governs_the_file_is_named(hooks):
    text = hooks.context("before-edit", session="edit", **EDIT)

    assert "docs/decisions/0001-reserve-stock-first.md#L" in text
    assert "owners @shop/orders (CODEOWNERS#L1)" in text
    assert "test tests/test_orders.py changed in" in text
    assert hooks.answer("before-edit", session="edit", **EDIT) == {}


@proves("H-4")
def test_before_an_edit_of_a_file_that_nothing_governs_nothing_is_said(hooks):
    for path in ("shop/prices.py", "new/file.py", "/etc/passwd", "../outside.py"):
        assert hooks.answer("before-edit", tool_input={"file_path": path}) == {}


@proves("H-5")
def test_after_an_edit_a_broken_rule_and_the_tests_are_named(hooks):
    path = hooks.project.root / "shop/orders.py"
    before = path.read_text()
    new = "    print(basket)\n    return list(basket)\n"
    path.write_text(before.replace("    return list(basket)\n", new))
    try:
        given = {"file_path": str(path), "old_string": "    return list(basket)\n", "new_string": new}
        text = hooks.context("after-edit", tool_input=given)
    finally:
        path.write_text(before)

    assert "shop/orders.py#L14 breaks the rule output/no-print (mcp/resources/patterns/output.md)" in text
    assert "Tests that reach the changed lines: tests/test_orders.py#L" in text
    assert "logger" not in text


@proves("H-5")
def test_after_an_edit_documents_that_name_what_is_gone_are_named(hooks):
    path = hooks.project.root / "shop/orders.py"
    before = path.read_text()
    start = before.index("def cancel_reservation")
    old = before[start : before.index("    return None\n") + len("    return None\n")]
    path.write_text(before.replace(old, ""))
    try:
        text = hooks.context("after-edit", tool_input={"file_path": str(path), "old_string": old, "new_string": ""})
    finally:
        path.write_text(before)

    assert "Documents still name what is gone: docs/orders.md#L3 (cancel_reservation)" in text


@proves("H-5")
def test_after_an_edit_that_breaks_nothing_nothing_is_said(hooks):
    given = {"file_path": "shop/prices.py", "old_string": "round(value, 3)", "new_string": "round(value, 2)"}

    assert hooks.answer("after-edit", tool_input=given) == {}


@proves("H-6")
@pytest.mark.parametrize(
    "tool_input",
    [
        {"pattern": "reserve_stock"},
        {"pattern": r"def reserve_stock\("},
        {"command": "rg -n --glob '*.py' reserve_stock shop | head"},
        {"command": "cd shop && grep -rn 'reserve_stock' ."},
        {"command": "git grep -e reserve_stock"},
    ],
)
def test_a_search_for_a_known_name_gets_its_place(hooks, tool_input):
    text = hooks.context("before-search", session="", tool_input=tool_input)

    assert text.startswith("reserve_stock is defined at shop/orders.py#L12-L14; ")
    assert " uses in 2 files" in text


@proves("H-6")
@pytest.mark.parametrize(
    "tool_input",
    [{"pattern": "TODO"}, {"pattern": "sold what was not there"}, {"command": "ls shop"}, {"command": "rg 'open"}, {}],
)
def test_any_other_search_gets_nothing(hooks, tool_input):
    assert hooks.answer("before-search", session="", tool_input=tool_input) == {}


@proves("H-11")
def test_an_event_that_is_switched_off_says_nothing(hooks, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "fieldguide").mkdir()
    (tmp_path / "fieldguide/config.toml").write_text("[hooks]\nprompt = false\n")

    assert hooks.answer("prompt", session="off", prompt=TASK) == {}
    assert hooks.context("before-search", session="off", tool_input={"pattern": "reserve_stock"})


@proves("H-12")
def test_a_person_is_shown_what_would_be_put_before_the_model(hooks):
    shown = hooks.show("prompt", TASK)

    assert "1. shop/orders.py (" in shown
    assert shown.rstrip().endswith(" tokens.")
    assert hooks.show("prompt", "yes").startswith("Nothing: this is no task")


@proves("H-9")
@pytest.mark.parametrize("data", [b"", b"nonsense", b"[1]", b"\xff\xfe", b'{"prompt": 7}', b"{" * 5000])
def test_nonsense_gets_nothing(hooks, data):
    for event in ("prompt", "before-edit", "after-edit", "before-search", "no-such-event"):
        assert hooks.raw(event, data) == ""


@proves("H-9")
def test_a_project_without_an_index_gets_nothing(hooks, tmp_path):
    assert hooks.answer("prompt", cwd=str(tmp_path), prompt=TASK) == {}
    assert hooks.answer("session", cwd=str(tmp_path / "gone")) == {}


@proves("H-9")
def test_a_failure_is_noted_and_prints_nothing(hooks, monkeypatch):
    def fail(*arguments):
        raise RuntimeError("broken")

    monkeypatch.chdir(hooks.project.root)
    monkeypatch.setattr("fieldguide.cli.hook.ask", fail)

    assert hooks.answer("prompt", session="failing", prompt=TASK) == {}
    assert "RuntimeError" in (hooks.project.state / "hooks" / "failures.log").read_text()
