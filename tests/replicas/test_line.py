"""The line of a process: who holds a lock, one after the other, in this process and beyond."""

import pytest

from fieldguide.storage.postgres_listener import HeldLock, PostgresLine
from tests.processes import eventually
from tests.proves import proves


@pytest.fixture
def heard():
    return []


@pytest.fixture
def lines(postgres, heard):
    place = postgres.new_database()
    both = [PostgresLine(place, "test", heard.append, lambda: heard.append("missed")) for _ in range(2)]
    yield both
    for line in both:
        line.close()


def noted(told, name):
    return HeldLock(lambda: told.append(f"{name} has it"), lambda: told.append(f"{name} lost it"))


@proves("Z-208")
def test_a_lock_goes_to_who_waits_in_the_same_process_and_then_to_another(lines):
    told: list[str] = []
    first, second, other = (noted(told, name) for name in ("first", "second", "other"))
    lines[0].hold(7, first)
    assert eventually(lambda: told == ["first has it"])
    lines[0].hold(7, second)
    lines[1].hold(7, other)

    lines[0].release(7, first)
    assert told == ["first has it", "second has it"]
    lines[0].release(7, second)

    assert eventually(lambda: told[2:] == ["other has it"])
    lines[1].close()
    assert told[3:] == ["other lost it"]


@proves("Z-208")
def test_who_waited_in_vain_leaves_the_lock_with_its_holder(lines):
    told: list[str] = []
    first, second = noted(told, "first"), noted(told, "second")
    lines[0].hold(7, first)
    assert eventually(lambda: told == ["first has it"])
    lines[0].hold(7, second)

    lines[0].release(7, second)
    lines[1].hold(7, noted(told, "other"))
    lines[0].release(7, first)

    assert eventually(lambda: told == ["first has it", "other has it"])


@proves("Z-206")
def test_what_is_said_is_heard_in_order_by_every_process(lines, heard):
    for line in lines:
        line.begin()
        assert eventually(line.is_open.is_set)

    for number in range(50):
        lines[0].say(str(number))

    assert eventually(lambda: len(heard) == 100)
    assert sorted(map(int, heard)) == sorted([*range(50)] * 2)
    assert list(dict.fromkeys(heard)) == [str(number) for number in range(50)]
