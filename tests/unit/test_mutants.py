"""The maker of small mistakes makes each of them, and knows where the modules and their tests are."""

from tests.mutants.__main__ import ROOT, SOURCE, TARGETS
from tests.mutants.mutations import mutations_of

EXAMPLE = '''\
"""A module."""
LIMIT = 3


def f(x: int = 1) -> bool:
    """Prose stays."""
    if x < LIMIT and not x:
        g(f"{x + 1}")
    return x - 1
'''


def test_every_kind_of_mistake_is_made_once_at_its_place():
    found = {(each.line, each.owner, each.before, each.after) for each in mutations_of("m.py", EXAMPLE)}

    assert found == {
        (2, "", "3", "4"), (5, "f", "1", "2"), (7, "f", "x < LIMIT and (not x)", "x < LIMIT or not x"),
        (7, "f", "not x", "x"), (7, "f", "x < LIMIT", "x <= LIMIT"), (8, "f", "g(f'{x + 1}')", "pass"),
        (9, "f", "1", "2"), (9, "f", "return x - 1", "return None"), (9, "f", "x - 1", "x + 1"),
    }  # fmt: skip


def test_a_mistake_changes_one_place_and_can_be_read():
    for each in mutations_of("m.py", EXAMPLE):
        compile(each.source, "m.py", "exec")
        changed = zip(EXAMPLE.splitlines(), each.source.splitlines(), strict=True)
        assert [number for number, (old, new) in enumerate(changed, start=1) if old != new] == [each.line]


def test_every_module_and_every_test_that_is_named_is_there():
    named = [*(f"{SOURCE}/{path}" for path in TARGETS), *(file for files in TARGETS.values() for file in files)]

    assert [path for path in named if not (ROOT / path).is_file()] == []
