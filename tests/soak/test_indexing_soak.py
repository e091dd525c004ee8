"""Long runs of indexing: the kubernetes documentation, its servers killed at ten random moments (`make soak`)."""

import hashlib
import random
import shutil
import tarfile
import time
from pathlib import Path

import pytest

from tests.indexed_projects import (
    DocumentsClient,
    assert_sound,
    index_file,
    indexed,
    is_indexed,
    kill_while_indexing,
    seen_by,
)

KUBERNETES = Path(__file__).parents[3] / "shared" / "data" / "docs" / "kubernetes.tar.xz"
KILLS = 10
FINISH_SECONDS = 180.0


@pytest.fixture
def kubernetes(project):
    """A project with the kubernetes documentation, and the hashes of its files."""
    if not KUBERNETES.exists():
        pytest.skip(f"There is no {KUBERNETES}.")
    docs = project.root / "docs"
    with tarfile.open(KUBERNETES) as archive:
        archive.extractall(docs, filter="data")
    files = [path for path in docs.rglob("*") if path.suffix in (".md", ".markdown", ".mdx")]
    hashes = {path.relative_to(docs).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    return project, hashes


def test_the_kubernetes_documentation_survives_ten_kills(kubernetes, capsys):
    project, wanted = kubernetes
    path = index_file(project.root)
    seconds = index_from_nothing(project, wanted)
    tell(capsys, f"{len(wanted):,} documents were indexed from nothing in {seconds:.1f} s")
    moments = random.Random(11)
    interrupted = 0
    for number in range(KILLS):
        shutil.rmtree(path.parent)
        held = kill_while_indexing(project.root, wanted, moments)
        interrupted += held < len(wanted)
        if path.exists():
            assert_sound(path)

        with DocumentsClient(project.root) as client:
            began = time.monotonic()
            assert is_indexed(path, wanted, within_seconds=FINISH_SECONDS)
            seconds = time.monotonic() - began
            assert client.documents() == sorted(wanted)
            assert any("/workloads/pods/" in each for each in client.found("what is a pod"))
        assert_sound(path)
        tell(capsys, f"kill {number + 1}: {held:,} documents were there, the next start took {seconds:.1f} s")

    assert interrupted >= KILLS // 2


def test_a_search_while_the_kubernetes_documentation_is_indexed_answers_and_the_journal_says_so(kubernetes):
    project, wanted = kubernetes
    with DocumentsClient(project.root) as client:
        seen_by(client, lambda: len(indexed(index_file(project.root))) > 0)
        some = client.found("how does a pod get an address")
        is_whole = len(indexed(index_file(project.root))) == len(wanted)
        told = client.journal("Indexing")

    assert some
    assert is_whole or told[0]["notice"] == "The index is not whole yet; this answer may lack."


def index_from_nothing(project, wanted) -> float:
    """Seconds from the start of a server to the last document, its handshake and its rest of 0.3 s included."""
    began = time.monotonic()
    with DocumentsClient(project.root):
        assert is_indexed(index_file(project.root), wanted, within_seconds=FINISH_SECONDS)
        return time.monotonic() - began


def tell(capsys, sentence: str) -> None:
    """Say something on the terminal, also when the test passes."""
    with capsys.disabled():
        print(f"\n{sentence}", end="")
