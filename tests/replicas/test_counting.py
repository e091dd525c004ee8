"""What replicas count together, and what each counts alone while the database is away."""

import psycopg
import pytest

from fieldguide.settings.limits import Limits
from fieldguide.spine.rate_limit import RateLimiter
from fieldguide.spine.tool import Pace, Tool
from fieldguide.storage.postgres import PostgresDatabase
from fieldguide.team.registry import REPLICAS_SCHEMA
from fieldguide.team.replicas.sharing import AWAY_SECONDS, SHARE, SharedRateLimiter, SharedTally
from fieldguide.text.errors import RateLimited
from tests.fakes import FakeClock
from tests.proves import proves

RARE = Tool(name="rare", description="", input_schema={}, run=lambda call: None, pace=Pace(calls_per_minute=3))
NOWHERE = "postgresql://nobody@/nothing?host=/nowhere"


@pytest.fixture(scope="module")
def place(postgres):
    return postgres.new_database()


@pytest.fixture
def database(place):
    opened = PostgresDatabase(place, [REPLICAS_SCHEMA])
    yield opened
    opened.close()


def limiters(database, namespace, clock=None):
    clock = clock or FakeClock()
    return [SharedRateLimiter(database, namespace, RateLimiter(clock, Limits()), clock) for _ in range(2)]


@proves("Z-210")
def test_a_minute_slides_across_replicas_for_each_user_and_project(database, place):
    one, two = limiters(database, "a|")
    for limiter in (one, two, one):
        limiter.admit("ann", RARE)

    with pytest.raises(RateLimited) as refused:
        two.admit("ann", RARE)
    two.admit("bob", RARE)
    limiters(database, "b|")[0].admit("ann", RARE)

    assert 50 < refused.value.details["retry_after_seconds"] <= 60
    with psycopg.connect(place) as connection:
        connection.execute("UPDATE replica_rate SET calls[1] = calls[1] - interval '61 seconds'")
    two.admit("ann", RARE)
    with pytest.raises(RateLimited):
        one.admit("ann", RARE)


@proves("Z-210")
def test_each_replica_holds_the_limit_alone_while_the_database_is_away(database):
    clock = FakeClock()
    away = PostgresDatabase(NOWHERE, [REPLICAS_SCHEMA])
    limiter = SharedRateLimiter(away, "a|", RateLimiter(clock, Limits()), clock)

    for _ in range(3):
        limiter.admit("ann", RARE)
    with pytest.raises(RateLimited):
        limiter.admit("ann", RARE)

    limiter._database = database
    clock.advance(AWAY_SECONDS)
    for _ in range(3):
        limiter.admit("carol", RARE)
    limiter._database = away
    with pytest.raises(RateLimited):
        limiter.admit("carol", RARE)


@proves("Z-216")
def test_a_day_is_counted_across_replicas_one_by_one_while_there_are_few(database):
    one, two = SharedTally(database), SharedTally(database)

    counted = [tally.add(20_000, "user:ann") for tally in (one, two, two, one, one, two)]

    assert counted == [1, 2, 3, 4, 5, 6]
    assert two.add(20_001, "user:ann") == 1
    assert one.add(20_000, "user:bob") == 1


@proves("Z-216")
def test_of_many_calls_a_replica_takes_a_share_ahead_and_never_counts_too_few(database, place):
    one, two = SharedTally(database), SharedTally(database)
    one.add(20_002, "project:shop")
    with psycopg.connect(place) as connection:
        connection.execute("UPDATE replica_quota SET calls = %s WHERE day = date '1970-01-01' + 20002", (10 * SHARE,))

    counted = [one.add(20_002, "project:shop") for _ in range(10)]

    assert counted == [10 * SHARE + number for number in range(1, 11)]
    assert two.add(20_002, "project:shop") == 10 * SHARE + 11


@proves("Z-216")
def test_each_replica_counts_a_day_alone_while_the_database_is_away():
    tally = SharedTally(PostgresDatabase(NOWHERE, [REPLICAS_SCHEMA]), FakeClock())

    assert [tally.add(20_000, "user:ann") for _ in range(3)] == [1, 2, 3]
