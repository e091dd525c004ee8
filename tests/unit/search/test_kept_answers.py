"""What was read of a content is kept by it, and read anew by another version of the reader."""

from fieldguide.search import backlog
from fieldguide.search.backlog import KeptAnswers
from fieldguide.search.engine import open_sqlite_engine


def test_a_content_is_read_once_by_each_version_of_its_reader(tmp_path, monkeypatch):
    engine = open_sqlite_engine(lambda: str(tmp_path / "index.db"), {}, lambda sentence: None)
    read: list[list[str]] = []

    def run(*asked: str, more_seconds: float, is_tried_once: bool) -> list[str]:
        read.append([*asked])
        return [*asked]

    monkeypatch.setattr(backlog, "run_in_child", run)
    for version, text in (("1", "fern"), ("1", "fern"), ("2", "fern"), ("1", "moss"), ("1", "fern"), ("2", "fern")):
        answers = KeptAnswers(engine.database, "here|", [version])
        assert answers.ask("reader", text, more_seconds=0.0) == ["reader", text]
        with engine.database.writing() as transaction:
            answers.keep(transaction)
    engine.database.close()

    assert read == [["reader", "fern"], ["reader", "fern"], ["reader", "moss"]]
