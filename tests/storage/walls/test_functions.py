"""Functions that read past the policies: they ask for which project and for whom they are called, unfoolably."""

import pytest

from fieldguide.settings.access import bind_caller
from fieldguide.storage.postgres import close_functions, fix_path
from fieldguide.text.errors import StorageFailed
from tests.proves import proves
from tests.storage.walls.houses import ANN, BERRY_ANN, BOB

PATTERN = """
    CREATE FUNCTION search_example(project TEXT, sources BIGINT[]) RETURNS TABLE (body TEXT)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
        sources := search_permitted(project, sources);
        RETURN QUERY SELECT chunk.body FROM search_chunk AS chunk
        WHERE chunk.namespace = project AND chunk.source_id = ANY(sources);
    END
    $$
"""
CALLED = "SELECT body FROM search_example(:project, ARRAY(SELECT CAST(n AS bigint) FROM generate_series(1, 99) AS n))"
OURS = """
    SELECT proname AS name, prosecdef AS is_definer, COALESCE(array_to_string(proconfig, ' '), '') AS settings,
        has_function_privilege('public', oid, 'EXECUTE') AS is_public, proargnames AS arguments
    FROM pg_proc WHERE pronamespace = to_regnamespace(current_schema()) AND starts_with(proname, 'search_')
"""


@pytest.fixture(scope="module", autouse=True)
def _example(owner, doors):
    with doors[ANN].reading() as transaction:
        role = transaction.fetch_one("SELECT current_user AS role", {})["role"]
    with owner.writing() as transaction:
        fix_path(transaction)
        transaction.execute(PATTERN, {})
        close_functions(transaction, role)
    yield
    with owner.writing() as transaction:
        transaction.execute("DROP FUNCTION search_example", {})


def bodies(database, project, user, *before):
    def ask():
        with database.writing() as transaction:
            for statement in before:
                transaction.execute(statement, {})
            return sorted(row["body"] for row in transaction.fetch_all(CALLED, {"project": project}))

    return bind_caller(user, ask)()


@proves("Z-175")
def test_a_function_shows_a_tenant_its_project_and_its_users_sources_alone(owner, doors):
    assert bodies(doors[ANN], ANN.namespace, "ann") == [ANN.mark, ANN.shared_mark]
    assert bodies(doors[BOB], BOB.namespace, "bob") == [BOB.mark, BOB.shared_mark]
    assert bodies(doors[ANN], ANN.namespace, None) == [ANN.mark, BOB.mark, ANN.shared_mark]
    assert bodies(owner, BERRY_ANN.namespace, None) == [BERRY_ANN.mark, BERRY_ANN.shared_mark]


@proves("Z-175")
@pytest.mark.parametrize("project", [BERRY_ANN.namespace, "", None, "apple", "%", "apple|' OR TRUE --"])
def test_a_tenant_cant_name_another_project(doors, project):
    with pytest.raises(StorageFailed) as caught:
        bodies(doors[ANN], project, "ann")

    assert "not a project of this transaction" in str(caught.value.__cause__)


@proves("Z-175")
def test_a_table_of_a_sessions_own_fools_no_function(doors):
    shadow = (
        "CREATE TEMPORARY TABLE search_source ON COMMIT DROP AS SELECT CAST(n AS bigint) AS id,"
        " CAST('apple|documents' AS text) AS kind, CAST('x' AS text) AS name, CAST('apple|' AS text) AS namespace"
        " FROM generate_series(1, 99) AS n",
        "CREATE TEMPORARY TABLE search_chunk ON COMMIT DROP AS SELECT CAST(1 AS bigint) AS source_id,"
        " CAST('apple|' AS text) AS namespace, CAST('shadow' AS text) AS body",
    )

    assert bodies(doors[ANN], ANN.namespace, "ann", *shadow) == [ANN.mark, ANN.shared_mark]


@proves("Z-175")
def test_every_function_of_the_tables_has_a_fixed_path_and_is_nobody_elses_to_call(owner):
    with owner.reading() as transaction:
        found = transaction.fetch_all(OURS, {})

    assert len(found) > 1
    for row in found:
        assert not row["is_public"], row["name"]
        if row["is_definer"]:
            assert "search_path=public, pg_temp" in row["settings"], row


@proves("Z-175")
def test_a_tenant_may_call_none_of_them_for_another_project(owner, doors):
    with owner.reading() as transaction:
        asked = [
            row
            for row in transaction.fetch_all(OURS, {})
            if row["is_definer"] and "project" in (row["arguments"] or [])
        ]

    assert asked
    for row in asked:
        given = {"project": "CAST('berry|' AS text)"}
        call = ", ".join(f"{name} => {given.get(name, 'NULL')}" for name in _inputs(owner, row["name"]))

        def attempt(name=row["name"], call=call):
            with doors[ANN].reading() as transaction:
                transaction.fetch_all(f"SELECT * FROM {name}({call})", {})  # noqa: S608  names of ours

        with pytest.raises(StorageFailed) as caught:
            bind_caller("ann", attempt)()
        assert "not a project of this transaction" in str(caught.value.__cause__), row["name"]


def _inputs(owner, name):
    with owner.reading() as transaction:
        row = transaction.fetch_one(
            "SELECT proargnames[1:pronargs] AS names FROM pg_proc WHERE proname = :name", {"name": name}
        )
    return row["names"]


QUESTIONS = {
    "search_by_words": "SELECT * FROM search_by_words(:project, ARRAY[:word], :sources, NULL, 9, 99, 1.0)",
    "search_holding": "SELECT * FROM search_holding(:project, ARRAY[:word], :sources, NULL)",
    "search_headed": "SELECT * FROM search_headed(:project, ARRAY[:word], ARRAY[:word], :sources, 9)",
    "search_by_vector": (
        "SELECT * FROM search_by_vector(:project, 'maker', CAST('[1,0,0,0]' AS halfvec), :sources, NULL, 9, 99, 99) "
        "WHERE CAST(:word AS text) <> ''"
    ),
    "search_nearest": (
        "SELECT unnest(chunks) "
        "FROM search_nearest(:project, 'maker', CAST('[1,0,0,0]' AS halfvec), :sources, NULL, 9, 99, 99) "
        "WHERE CAST(:word AS text) <> ''"
    ),
}
NEAREST = ("search_by_vector", "search_nearest")


@proves("Z-175")
@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_finds_what_another_user_of_the_project_keeps(owner, doors, name):
    asked = {"project": ANN.namespace, "word": BOB.mark, "sources": list(range(1, 100))}

    def found(user):
        def ask():
            with doors[ANN].reading() as transaction:
                return len(transaction.fetch_all(QUESTIONS[name], asked))

        return bind_caller(user, ask)()

    told = [found("ann"), found("bob"), found(None)]
    assert told == ([2, 2, 3] if name in NEAREST else [0, 1, 1])  # the nearest are whatever one may see


@proves("Z-175")
def test_every_function_that_takes_sources_has_a_question_here(owner):
    with owner.reading() as transaction:
        found = transaction.fetch_all(OURS, {})

    taking = {row["name"] for row in found if row["is_definer"] and "sources" in (row["arguments"] or [])}
    assert taking - {"search_example"} == {*QUESTIONS}
