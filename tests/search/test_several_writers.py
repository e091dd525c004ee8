"""Several processes that index into one PostgreSQL at once: the same project, and another one."""

import subprocess

import psycopg

from tests.projects import Project
from tests.proves import proves
from tests.servers import FIELDGUIDE, environment

PAGES = 60
WRITERS = 3
COUNTED = """
    SELECT chunk.namespace, word.lexeme, COUNT(*)
    FROM search_chunk AS chunk, unnest(chunk.words) AS word GROUP BY chunk.namespace, word.lexeme
"""
KEPT = "SELECT namespace, lexeme, chunks FROM search_word WHERE chunks <> 0"
DOUBLED = "SELECT source_id, name FROM search_document GROUP BY source_id, name HAVING COUNT(*) > 1"
WITHOUT_VECTOR = """
    SELECT id FROM search_chunk
    WHERE vector IS NOT NULL AND id NOT IN (SELECT chunk_id FROM search_vector)
"""


def written(folder, word):
    folder.mkdir()
    project = Project(folder)
    for number in range(PAGES):
        text = (
            f"# Page {number} of the {word}\n\nThe {word} has part {number}.\n\n## More\n\nRead part {number} twice.\n"
        )
        project.write(f"docs/page-{number}.md", text)
        project.write(f"src/{word}_{number}.py", f"def feed_{word}_{number}(animal):\n    return animal\n")
    return project


def begin(project, address, state, *words):
    return subprocess.Popen(
        [FIELDGUIDE, *words, "--project", str(project.root), "--database", address],
        env={**environment(), "FIELDGUIDE_STATE": str(state)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process):
    printed, complained = process.communicate(timeout=300)
    assert process.returncode == 0, complained
    return printed


@proves("Z-185", "Z-192")
def test_processes_that_index_at_once_leave_one_whole_index(tmp_path, postgres):
    address = postgres.new_database()
    zoo, farm = written(tmp_path / "zoo", "zebra"), written(tmp_path / "farm", "goat")

    writers = [begin(zoo, address, tmp_path / f"state-{number}", "index") for number in range(WRITERS)]
    writers.append(begin(farm, address, tmp_path / "state-farm", "index"))
    for writer in writers:
        ended(writer)

    with psycopg.connect(address) as connection:
        rows = {sql: sorted(connection.execute(sql).fetchall()) for sql in (COUNTED, KEPT, DOUBLED, WITHOUT_VECTOR)}
    assert rows[COUNTED] == rows[KEPT] != []
    assert rows[DOUBLED] == []
    assert rows[WITHOUT_VECTOR] == []
    for project, word, other in ((zoo, "zebra", "goat"), (farm, "goat", "zebra")):
        found = ended(begin(project, address, tmp_path / "state-asking", "find", f"part 7 of the {word}"))
        assert "page-7.md" in found
        assert other not in found
