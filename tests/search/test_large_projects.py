"""Large projects on PostgreSQL: word counts that are kept, an index of the nearest, and batches that are copied."""

from collections import Counter

import pytest

from fieldguide.search.engine import SCHEMA, SearchEngine, SearchQuestion
from fieldguide.search.indexes import postgres
from fieldguide.search.indexes.postgres import PostgresIndex
from fieldguide.search.types import NumberedDocument, Scope
from fieldguide.storage.postgres import PostgresDatabase, PostgresTransaction
from fieldguide.text.errors import StorageFailed
from tests.fakes import FakeEmbedder
from tests.proves import proves
from tests.search.engines import DOCS, OTHER, WORDS, document, names, numbers, put, search

FEW = 20
INSERT_OF_BEFORE = """
    INSERT INTO search_chunk
        (id, source_id, document_id, maker, headings, body, start_line, end_line, words, vector)
    VALUES (:chunk, :source, :document, :maker, '', 'fern', 1, 1, to_tsvector('english', 'ferns'), '[1,0,0,0]')
"""

pytestmark = pytest.mark.parametrize("place", ["postgres"], indirect=True)


@pytest.fixture
def small(monkeypatch) -> None:
    """A project of a few chunks is a large one."""
    monkeypatch.setattr(postgres, "FROM_CHUNKS", FEW)


def spread(count: int) -> dict[str, str]:
    """Texts whose vectors point into many directions."""
    return {f"d{n:03}": f"{'fern ' * (n % 7)}{'fox ' * (n % 5)}{'moss ' * (n % 3)}pond" for n in range(count)}


def counted(engine: SearchEngine) -> Counter[str]:
    with engine.database.reading() as transaction:
        rows = transaction.fetch_all("SELECT word.lexeme FROM search_chunk, unnest(words) AS word", {})
    return Counter(row["lexeme"] for row in rows)


def kept(engine: SearchEngine) -> Counter[str]:
    with engine.database.reading() as transaction:
        rows = transaction.fetch_all("SELECT lexeme, chunks FROM search_word WHERE chunks <> 0", {})
    return Counter({row["lexeme"]: row["chunks"] for row in rows})


def indexes(engine: SearchEngine) -> list[str]:
    with engine.database.reading() as transaction:
        rows = transaction.fetch_all(
            "SELECT relname AS name FROM pg_class WHERE starts_with(relname, 'search_near_') ORDER BY relname", {}
        )
    return [row["name"] for row in rows]


def finished(engine: SearchEngine, said: str = "") -> None:
    engine.finish(DOCS, {"said": said})
    engine.settled()


@proves("Z-185")
def test_how_common_each_word_is_follows_the_documents(engine):
    put(engine, a="fern fox", b="fern moss", c="pond")
    put(engine, a="fern ferns moss")
    engine.finish(DOCS, {}, gone=["c"])

    assert kept(engine) == counted(engine)
    assert kept(engine)["fern"] == 2
    assert kept(engine)["pond"] == kept(engine)["fox"] == 0


@proves("Z-185")
def test_what_a_server_of_the_version_before_puts_in_is_counted_and_found(engine):
    put(engine, a="fern fox")
    with engine.database.writing() as transaction:
        store = engine.store(transaction)
        source = store.add_source(DOCS)
        number = store.put(source, document("b", "fern"), maker=engine.maker)
        given = {"chunk": number << 20, "source": source, "document": number, "maker": engine.maker}
        transaction.execute(INSERT_OF_BEFORE, given)

    assert kept(engine) == counted(engine)
    assert kept(engine)["fern"] == 2
    assert sorted(names(search(engine, "fern", by_words=False))) == ["a", "b"]


@proves("Z-187")
def test_the_nearest_are_found_by_an_index_once_there_are_many(engine, small):
    put(engine, **spread(FEW))
    finished(engine, "few")
    before = indexes(engine)
    put(engine, **spread(3 * FEW))
    truth = nearest(engine)
    finished(engine, "many")

    assert before == []
    assert len(indexes(engine)) == 1
    with engine.database.reading() as transaction:
        # So few rows are quicker read without an index, as the planner knows once they have been analysed.
        transaction.execute("SET LOCAL enable_seqscan = off", {})
        transaction.execute("SET LOCAL enable_bitmapscan = off", {})
        transaction.execute("SET LOCAL enable_sort = off", {})
        found = by_vector(engine, transaction)
        scans = "SELECT pg_stat_get_xact_numscans(CAST(:name AS regclass)) AS scans"
        assert transaction.fetch_one(scans, {"name": indexes(engine)[0]})["scans"] == 1
    assert found == truth


@proves("Z-188")
def test_another_model_has_another_index_and_the_old_one_goes(place, small):
    first, second = place.open(), place.open(FakeEmbedder(*WORDS, "heath", identity="fake-2"))
    put(first, **spread(2 * FEW))
    finished(first, "one")
    old = indexes(first)

    put(second, **spread(2 * FEW))
    finished(second, "two")

    assert len(old) == len(indexes(second)) == 1
    assert indexes(second) != old


@proves("Z-188")
def test_an_index_that_was_left_half_made_is_made_again(engine, small):
    put(engine, **spread(2 * FEW))
    finished(engine, "one")
    [name] = indexes(engine)
    with engine.database.writing() as transaction:
        spoil = "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = CAST(:name AS regclass)"
        transaction.execute(spoil, {"name": name})

    finished(engine, "two")

    with engine.database.reading() as transaction:
        row = transaction.fetch_one(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = CAST(:name AS regclass)", {"name": name}
        )
    assert row is not None
    assert row["indisvalid"]


@proves("Z-189")
def test_a_small_part_of_a_large_project_gives_all_of_its_nearest(engine, small):
    put(engine, **dict.fromkeys((f"d{n:03}" for n in range(4 * FEW)), "fern"))
    put(engine, OTHER, far="pond fox", further="moss fox")
    finished(engine)

    found = search(engine, "fern", DOCS, OTHER, by_words=False, limit=4 * FEW + 2)

    assert {"far", "further"} <= set(names(found))
    assert names(search(engine, "fern pond", OTHER, by_words=False)) == ["far", "further"]


@proves("Z-185")
def test_a_chunk_is_found_by_its_heading_to_the_letter(engine):
    put(engine, a="# Fern\n\nfox\n\n## Wet_moss\n\npond", b="# Fern\n\n## Moss\n\nfox")
    scope = Scope(tuple(numbers(engine, DOCS)))

    with engine.database.reading() as transaction:
        found = engine.index.headed(transaction, ["Wet_moss", "moss", "nowhere"], scope, 10)
        [passage] = engine.index.passages(transaction, found).values()

    assert passage.headings[-1] == "Wet_moss"


@proves("Z-190")
def test_a_project_of_a_service_gets_nothing_of_another(place, postgres_address):
    theirs = place.open(namespace="/theirs|")
    put(theirs, a="fern")
    sources = Scope(tuple(numbers(theirs, DOCS)))
    ours = PostgresDatabase(postgres_address, [SCHEMA], tenant="/ours|")

    def ask(namespace: str) -> list[object]:
        index = PostgresIndex(len(WORDS), theirs.maker, namespace)
        vector = theirs.embedder.embed_query("fern")
        with ours.reading() as transaction:
            return [
                index.by_words(transaction, ["fern"], sources, 10),
                index.by_vector(transaction, vector, sources, 10),
                index.holding(transaction, ["fern"], sources),
                index.headed(transaction, ["a"], sources, 10),
                index.counts(transaction, ["fern"], 10),
                index.passages(transaction, [sources.sources[0] << 44 | 1 << 20]),
            ]

    assert ask("/ours|") == [{}, {}, set(), [], [0], {}]
    with pytest.raises(StorageFailed):
        ask("/theirs|")
    ours.close()


@proves("Z-191")
def test_a_batch_takes_the_same_statements_however_many_chunks_it_has(engine, monkeypatch):
    put(engine, a="moss")
    asked: list[str] = []
    run = PostgresTransaction._run

    def asking(transaction, sql, parameters):
        asked.append(sql)
        return run(transaction, sql, parameters)

    monkeypatch.setattr(PostgresTransaction, "_run", asking)
    monkeypatch.setattr(PostgresTransaction, "execute_many", lambda *given: pytest.fail("a statement for each row"))

    put(engine, a="fern")
    one = len(asked)
    put(engine, a="\n\n".join(f"# Part {n}\n\n{'fern moss ' * 60}" for n in range(40)))

    assert len(asked) == 2 * one
    assert sum(counted(engine).values()) > 40


@proves("Z-187")
def test_a_search_asks_the_database_four_times(engine, monkeypatch):
    """For the candidates, for the texts that may be exact, for further texts, and for documents."""
    put(engine, **spread(2 * FEW), exact="fern_42 moss")
    scope = Scope(numbers(engine, DOCS))
    asked: list[str] = []
    run = PostgresTransaction._run

    def asking(transaction, sql, parameters):
        asked.append(sql)
        return run(transaction, sql, parameters)

    monkeypatch.setattr(PostgresTransaction, "_run", asking)

    found = engine.search(SearchQuestion("fern_42 fox", scope, limit=10))

    assert found[0].document == "exact"
    assert len(asked) == 4


@proves("Z-187")
@pytest.mark.parametrize("others", ["some", "all"])
def test_vectors_of_another_model_are_never_among_the_nearest(place, others):
    """While a project is made again, its vectors are of two models, nearer ones of the other among them."""
    before = place.open(FakeEmbedder(*WORDS, identity="before"))
    put(before, **spread(2 * FEW))
    now = place.open(FakeEmbedder(*WORDS, identity="now"))
    assert nearest(now) == {}

    made_again = {name: text for name, text in spread(2 * FEW).items() if others == "all" or name > "d020"}
    put(now, **made_again)
    found = nearest(now)

    everything = {chunk: distance for chunk, distance in nearest(before).items() if chunk not in found}
    assert len(found) == min(FEW, len(made_again))
    assert bool(everything) == (others == "some")
    with now.database.reading() as transaction:
        assert found == pytest.approx(now.index.distances(transaction, now.embedder.embed_query("fern fox"), [*found]))


@proves("Z-192")
def test_who_searches_while_a_batch_is_put_in_waits_for_nothing(place):
    writer, reader = place.open(), place.open()
    put(writer, a="fern")
    scope = Scope(tuple(numbers(writer, DOCS)))

    with writer.database.writing() as transaction:
        store = writer.store(transaction)
        new = document("b", "fern")
        vectors = [writer.embedder.embed_query("fern")]
        writer.index.put(
            transaction,
            scope.sources[0],
            [NumberedDocument(store.put(scope.sources[0], new, maker=writer.maker), new, vectors)],
        )
        during = names(search(reader, "fern"))

    assert during == ["a"]
    assert sorted(names(search(reader, "fern"))) == ["a", "b"]


def nearest(engine: SearchEngine) -> dict[int, float]:
    with engine.database.reading() as transaction:
        return by_vector(engine, transaction)


def by_vector(engine: SearchEngine, transaction) -> dict[int, float]:
    scope = Scope(tuple(numbers(engine, DOCS)))
    found: dict[int, float] = engine.index.by_vector(transaction, engine.embedder.embed_query("fern fox"), scope, FEW)
    return found
