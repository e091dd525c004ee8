"""Breakers, rate limits, time limits and workflows, by a clock that a test moves."""

import pytest

from fieldguide.spine.circuit_breaker import BreakerState, CircuitBreakers
from fieldguide.spine.prompts import Workflows
from fieldguide.spine.rate_limit import RateLimiter
from fieldguide.spine.tool import Pace, Tool
from fieldguide.spine.workers import Timer, time_limit
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import CircuitOpen, RateLimited, ToolFailed, ToolTimeout
from tests.fakes import FakeClock
from tests.proves import proves


def limited(per_minute):
    return Tool(
        name="t",
        description="x",
        input_schema={"type": "object"},
        run=lambda call: None,
        pace=Pace(calls_per_minute=per_minute),
    )


def end(breakers, error=None):
    """A call of the tool that ends so, if the breaker lets it through."""
    breakers["t"].admit()
    breakers["t"].count(error)


def state_of(breakers):
    return breakers["t"].state


def fail(breakers):
    end(breakers, ToolFailed("a bug"))


def succeed(breakers):
    end(breakers)


@proves("U0-10", "S0-70")
def test_a_breaker_opens_rests_tries_and_closes():
    clock = FakeClock()
    breakers = CircuitBreakers(clock)
    for _ in range(5):
        fail(breakers)
    assert breakers.states() == {"tool_t": "open"}
    with pytest.raises(CircuitOpen, match="Circuit breaker 'tool_t' is open"):
        succeed(breakers)

    clock.advance(29.9)
    assert state_of(breakers) is BreakerState.OPEN
    clock.advance(0.1)
    assert state_of(breakers) is BreakerState.HALF_OPEN
    succeed(breakers)
    succeed(breakers)
    assert state_of(breakers) is BreakerState.HALF_OPEN
    succeed(breakers)

    assert state_of(breakers) is BreakerState.CLOSED


@proves("U0-10")
def test_the_refusal_of_an_open_breaker_says_when_to_try_again():
    clock = FakeClock()
    breakers = CircuitBreakers(clock)
    for _ in range(5):
        fail(breakers)
    clock.advance(4.2)

    with pytest.raises(CircuitOpen) as first:
        succeed(breakers)
    clock.advance(25)
    with pytest.raises(CircuitOpen) as last:
        succeed(breakers)

    assert first.value.message == "Circuit breaker 'tool_t' is open"
    assert first.value.details == {"retry_after_seconds": 26, "hint": "Try again in 26 seconds."}
    assert last.value.details == {"retry_after_seconds": 1, "hint": "Try again in 1 second."}


def test_no_more_than_the_limit_passes_in_any_minute():
    clock = FakeClock()
    limiter = RateLimiter(clock)
    admitted = []
    for _ in range(400):
        try:
            limiter.admit("ann", limited(30))
            admitted.append(clock.now)
        except RateLimited:
            pass
        clock.advance(0.7)

    for start in admitted:
        assert sum(start <= when < start + 60 for when in admitted) <= 30
    assert len(admitted) >= 30 * 4


@proves("S3-64")
def test_limits_are_counted_per_user_and_tool_and_end_after_a_minute():
    clock = FakeClock()
    limiter = RateLimiter(clock)
    limiter.admit("ann", limited(1))

    limiter.admit("bob", limited(1))
    with pytest.raises(RateLimited, match="Rate limit exceeded for t"):
        limiter.admit("ann", limited(1))
    clock.advance(60)
    limiter.admit("ann", limited(1))


@proves("S0-76")
@pytest.mark.parametrize(("asked", "allowed"), [(None, 10), (3, 3), (30, 30), (31, 30), (3600, 30)])
def test_ten_seconds_unless_said_otherwise_and_never_over_thirty(asked, allowed):
    late = Cancellation()
    late.since -= allowed

    with (
        pytest.raises(ToolTimeout, match=rf"took longer than {allowed} seconds"),
        time_limit(Timer(), late, "t", asked),
    ):
        pass

    early = Cancellation()
    early.since -= allowed - 1
    with time_limit(Timer(), early, "t", asked):
        pass


@proves("U0-11", "S0-60")
def test_a_workflow_lives_an_hour_after_its_last_use():
    clock = FakeClock()
    workflows = Workflows(clock)
    context = workflows.start("greet", {"name": "Ada"})
    context.tool_results["echo"] = {"a": 1}

    clock.advance(3600)
    kept = workflows.find(context.session_id)
    clock.advance(3601)
    gone = workflows.find(context.session_id)

    assert kept is context
    assert kept.last_accessed_at == kept.created_at + 3600
    assert (kept.prompt_name, kept.prompt_args, kept.tool_results) == ("greet", {"name": "Ada"}, {"echo": {"a": 1}})
    assert gone is None


@proves("U0-11")
def test_dead_workflows_are_swept_and_the_number_is_bounded():
    clock = FakeClock()
    workflows = Workflows(clock)
    for _ in range(20):
        workflows.start("greet", {})
    clock.advance(3601)
    workflows.start("greet", {})
    swept = len(workflows)
    for _ in range(3000):
        workflows.start("greet", {})

    assert swept == 1
    assert len(workflows) <= 1000
