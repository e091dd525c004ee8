"""Everything that one question to the trace reads, put together once for it."""

from collections.abc import Iterable
from functools import cached_property

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.document_formats.kinds import format_of
from fieldguide.document_formats.lines import readable_text
from fieldguide.errors import Refusal
from fieldguide.import_graph.store import ImportStore
from fieldguide.project_history.history import History
from fieldguide.search.engine import SearchEngine
from fieldguide.storage.port import Transaction
from fieldguide.tracing import nodes
from fieldguide.tracing.building import WHOLE
from fieldguide.tracing.decisions import Decisions
from fieldguide.tracing.definers import Definers
from fieldguide.tracing.families import Family, learnt
from fieldguide.tracing.marks import DEFINES
from fieldguide.tracing.mining import Miner
from fieldguide.tracing.nodes import Link
from fieldguide.tracing.place_names import PlaceNames
from fieldguide.tracing.reading.ids import is_traced_test
from fieldguide.tracing.store import Placed, TraceStore

LARGEST_BYTES = 1 << 20
MOST_LINES = 6
LONGEST_WORDS = 500
NEXT = re.compile(r"^\s*(?:[-*+|#]|[0-9]+[.)]\s)")


class Ground:
    """The stores of a project in one transaction, and what is made of them when it is first asked for."""

    def __init__(
        self, engine: SearchEngine, transaction: Transaction, namespace: str, project: ConfinedFolder, history: History
    ) -> None:
        self.project = project
        self.history = history
        self.store = TraceStore(transaction, namespace)
        self.imports = ImportStore(transaction, namespace)
        self.places = PlaceNames(self.store)
        self.definers = Definers(engine, transaction)
        self._families: dict[str, Family | None] = {}

    @cached_property
    def decisions(self) -> Decisions:
        """The decisions."""
        return Decisions(self.store.decisions())

    @cached_property
    def miner(self) -> Miner:
        """What weighs links that nobody wrote down."""
        return Miner(self.store, self.history, self.decisions, self.definers)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all files were read once: before, what is not found may still be there."""
        return bool(self.store.stamps([WHOLE]))

    def family(self, name: str) -> Family | None:
        """A family of ids, where it is a list of requirements."""
        if name not in self._families:
            self._families[name] = self.requirements(self.store.role_of_family(DEFINES, name)).get(name)
        return self._families[name]

    def requirements(self, defined: Iterable[Placed]) -> dict[str, Family]:
        """The families of these that are lists of requirements; what decisions are called is none."""
        words = {key.family for row in self.decisions.rows for key in self.decisions.keys(row)}
        return {name: family for name, family in learnt(defined).items() if name not in words}

    def kind_of(self, path: str) -> str:
        """What a file is in a chain."""
        if path.startswith(f"{nodes.COMMIT}:"):
            return nodes.COMMIT
        if path in self.decisions.by_path:
            return nodes.DECISION
        if format_of(path) is not None:
            return nodes.DOCUMENT
        return nodes.TEST if is_traced_test(path) else nodes.CODE

    def words_at(self, path: str, line: int) -> str:
        """The words that begin in a line of a file as it is now, up to where they end; nothing where it is gone."""
        try:
            lines = readable_text(self.project.read(path, limit_bytes=LARGEST_BYTES)).split("\n")
        except Refusal:
            return ""
        told: list[str] = []
        for each in lines[line - 1 : line - 1 + MOST_LINES] if line else ():
            if told and (not each.strip() or NEXT.match(each)):
                break
            told.append(each.strip())
            if each.rstrip().endswith((".", "),", ")", "|")):
                break
        return " ".join(told)[:LONGEST_WORDS]

    def commit_link(self, identity: str, why: str, how: str = nodes.EXPLICIT) -> Link | None:
        """A link to a commit that HEAD reaches."""
        change = self.history.change(identity)
        if change is None:
            return None
        return Link(nodes.COMMIT, f"{nodes.COMMIT}:{change.id[:12]}", 0, why, how, name=change.subject)
