"""Branches and work trees: answers are of the tree that is served, or say that the index is behind."""

import json

import pytest

from tests.git_projects import GitProject
from tests.held_indexing import held_sqlite_turn
from tests.processes import eventually
from tests.raw_client import RawClient

OLD = "def settle_overdue_invoice(invoice):\n    '''Pays an invoice that is overdue.'''\n    return invoice.paid\n"
NEW = "def collect_garden_fees(garden):\n    '''Collects the fees of a garden.'''\n    return garden.fees\n"
OTHER = "def unrelated():\n    return 1\n"


@pytest.fixture
def repository(tmp_path):
    """Two branches: `main` has invoices, `garden` has fees instead."""
    (tmp_path / "repository").mkdir()
    project = GitProject(tmp_path / "repository")
    project.write("src/other.py", OTHER)
    project.write("src/billing.py", OLD)
    project.commit_all("Settle invoices")
    project.git("checkout", "-q", "-b", "garden")
    project.write("src/fees.py", NEW)
    (project.root / "src/billing.py").unlink()
    project.commit_all("Collect fees")
    project.git("checkout", "-q", "main")
    return project


class Served:
    """A server of a folder whose index was whole once."""

    def __init__(self, client):
        self._client = client
        client.initialize()
        self.symbols("unrelated")

    def search(self, query):
        return json.loads(self._client.call("context_search", query=query)["content"][0]["text"])

    def symbols(self, query):
        """The symbols of the first answer that does not say that the index is behind: so it must be right."""
        answers = []

        def is_whole():
            answers.append(self.search(query))
            return "indexing" not in answers[-1]

        assert eventually(is_whole)
        return {item.get("symbol") for item in answers[-1]["results"]}

    def guide(self, query):
        return self._client.call("guide_search", query=query)["structuredContent"]

    def symbol(self, name):
        return self._client.call("guide_symbol", name=name)["content"][0]["text"]

    def opened(self, path):
        return self._client.call("guide_open", citation=path)["content"][0]["text"]


@pytest.fixture
def serve(request):
    def served(root):
        client = RawClient(root)
        client.__enter__()
        request.addfinalizer(lambda: client.__exit__(None, None, None))
        return Served(client)

    return served


def test_right_after_a_checkout_an_answer_says_that_it_is_behind_and_gives_nothing_that_is_gone(repository, serve):
    served = serve(repository.root)
    assert "settle_overdue_invoice" in served.symbols("settle overdue invoice")

    with held_sqlite_turn(repository.root):
        repository.git("checkout", "-q", "garden")
        found, listed = served.search("settle overdue invoice"), served.guide("settle overdue invoice")

    assert "indexing" in found
    assert "indexing" in listed
    assert "settle_overdue_invoice" not in json.dumps([found["results"], listed["items"]])


def test_while_git_writes_files_an_answer_says_that_the_index_is_behind(repository, serve):
    served = serve(repository.root)

    with held_sqlite_turn(repository.root):
        (repository.root / ".git/index.lock").touch()
        repository.write("src/billing.py", NEW)
        during = served.search("settle overdue invoice")

    assert "indexing" in during


def test_a_checkout_is_seen_and_the_other_tree_is_answered_from(repository, serve):
    served = serve(repository.root)

    repository.git("checkout", "-q", "garden")

    assert "collect_garden_fees" in served.symbols("collect garden fees")
    assert "settle_overdue_invoice" not in served.symbols("settle overdue invoice")
    assert "settle_overdue_invoice" not in json.dumps(served.guide("settle overdue invoice"))

    repository.git("checkout", "-q", "main")

    assert "settle_overdue_invoice" in served.symbols("settle overdue invoice")


def test_while_the_index_is_behind_nothing_is_given_that_its_file_does_not_say_any_more(repository, serve):
    served = serve(repository.root)
    repository.write("src/billing.py", OTHER.replace("unrelated", "replaced"))
    repository.commit_all("Replace")
    assert "replaced" in served.symbols("replaced")

    with held_sqlite_turn(repository.root):
        repository.git("checkout", "-q", "HEAD~1")
        found, listed = served.search("replaced"), served.guide("replaced")

    assert "replaced" not in {item.get("symbol") for item in (*found["results"], *listed["items"])}


def test_while_symbols_are_behind_the_index_an_answer_about_them_says_so(repository, serve):
    served = serve(repository.root)
    assert "src/billing.py" in served.symbol("settle_overdue_invoice")

    with held_sqlite_turn(repository.root, "symbols"):
        repository.git("checkout", "-q", "garden")
        assert "collect_garden_fees" in served.symbols("collect garden fees")  # the index itself is whole again
        behind = [served.symbol("collect_garden_fees"), served.symbol("settle_overdue_invoice")]

    assert behind[0].startswith("Uses not read yet")
    assert "indexing" in behind[1]
    assert "src/billing.py" not in "".join(behind)


def test_a_linked_work_tree_serves_its_own_tree_and_sees_its_own_checkouts(repository, serve, tmp_path):
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "-q", str(linked), "garden")
    served = serve(linked)

    assert (linked / ".git").is_file()
    assert "collect_garden_fees" in served.symbols("collect garden fees")
    assert "settle_overdue_invoice" not in served.symbols("settle overdue invoice")

    with held_sqlite_turn(linked):
        GitProject.git(_at(linked), "checkout", "-q", "--detach", "main")
        assert "indexing" in served.search("collect garden fees")

    assert "settle_overdue_invoice" in served.symbols("settle overdue invoice")
    assert "collect_garden_fees" not in served.symbols("collect garden fees")


def test_a_detached_head_is_served_like_a_branch(repository, serve):
    repository.git("checkout", "-q", "--detach", "garden")
    served = serve(repository.root)

    assert "collect_garden_fees" in served.symbols("collect garden fees")

    repository.git("checkout", "-q", "--detach", "main")

    assert "settle_overdue_invoice" in served.symbols("settle overdue invoice")


def test_a_rebase_that_stands_still_is_served_as_its_files_lie_there(repository, serve):
    repository.git("checkout", "-q", "garden")
    repository.write("src/other.py", OTHER.replace("1", "2"))
    repository.commit_all("Count to two")
    repository.git("checkout", "-q", "main")
    repository.write("src/other.py", OTHER.replace("1", "3"))
    repository.commit_all("Count to three")
    served = serve(repository.root)

    with pytest.raises(Exception, match="rebase"):
        repository.git("rebase", "-q", "main", "garden")

    assert (repository.root / ".git/rebase-merge").is_dir()
    assert "collect_garden_fees" in served.symbols("collect garden fees")
    assert eventually(lambda: "<<<<<<<" in served.opened("src/other.py"))

    repository.git("rebase", "--abort")

    assert "settle_overdue_invoice" not in served.symbols("settle overdue invoice")
    assert "<<<<<<<" not in served.opened("src/other.py")


def _at(root):
    """A folder in which git is run, without making a repository of it."""
    project = GitProject.__new__(GitProject)
    project.root = root
    return project
