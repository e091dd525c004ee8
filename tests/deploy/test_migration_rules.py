"""The rule for those who write steps of the tables: nothing is taken from servers of the version before."""

import pytest

from fieldguide.search import engine
from fieldguide.storage.database import FINDINGS_SCHEMA
from fieldguide.toolsets.tasks import tools as tasks
from tests.deploy.migration_rules import Step, new_steps, problems
from tests.proves import proves

STEPS = [step for schema in (tasks.SCHEMA, engine.SCHEMA, FINDINGS_SCHEMA) for step in new_steps(schema)]


@proves("Z-249")
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_new_step_takes_nothing_from_the_version_before(step: Step):
    assert list(problems(step.script)) == []


@proves("Z-249")
@pytest.mark.parametrize("script", [
    "DROP TABLE task;", "ALTER TABLE task DROP COLUMN title;", "ALTER TABLE task RENAME COLUMN title TO name;",
    "ALTER TABLE task ADD COLUMN namespace TEXT NOT NULL;", "ALTER TABLE task ALTER COLUMN title TYPE TEXT;",
    "ALTER TABLE task ALTER COLUMN description SET NOT NULL;", "ALTER TABLE task FORCE ROW LEVEL SECURITY;",
    "UPDATE search_chunk SET namespace = '';", "INSERT INTO word (name)\nSELECT words FROM search_chunk AS chunk;",
    "CREATE INDEX task_by_title ON task (title);", "TRUNCATE search_chunk;",
    "ALTER TABLE task DROP CONSTRAINT task_pkey;",
])  # fmt: skip
def test_a_step_that_does_is_found(script):
    assert len(list(problems(script))) == 1


@proves("Z-249")
@pytest.mark.parametrize("script", [
    "ALTER TABLE task ADD COLUMN namespace TEXT NOT NULL DEFAULT '';", "ALTER TABLE task ADD COLUMN namespace TEXT;",
    "CREATE TABLE word (name TEXT PRIMARY KEY);\nCREATE INDEX word_by_name ON word (name);",
    "-- Writers wait: a user has few tasks.\nCREATE INDEX task_by_title ON task (title);",
    "-- DROP TABLE task;\nSELECT 1;",
    "-- Older servers do not need it: none relies on a conflict.\nALTER TABLE task DROP CONSTRAINT task_pkey;",
    "CREATE FUNCTION f() RETURNS void AS $$ BEGIN UPDATE search_chunk SET x = 1; END $$ LANGUAGE plpgsql;",
    "ALTER TABLE task ENABLE ROW LEVEL SECURITY;", "-- Piece by piece: all.\nUPDATE search_chunk SET namespace = '';",
])  # fmt: skip
def test_a_step_that_does_not_is_let_through(script):
    assert list(problems(script)) == []
