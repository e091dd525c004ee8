"""Traces a decision, requirement, file or commit to its related code, tests and commits, and finds the gaps."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from fieldguide.code.imports.graph import ImportStore
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import find_format, is_test
from fieldguide.git.history import History
from fieldguide.git.log import HistoryCommit
from fieldguide.knowledge.links import trace_model
from fieldguide.knowledge.links.mining import LARGEST_COMMIT, Miner, find_commits_naming, is_code
from fieldguide.knowledge.links.project_names import (
    DecisionNames,
    Definers,
    IdFamily,
    PlaceNames,
    is_open,
    learn_families,
)
from fieldguide.knowledge.links.trace_index import WHOLE, DecisionRow, PlacedMark, TraceStore
from fieldguide.knowledge.links.trace_model import (
    CLAIMS,
    DEFINES,
    ISSUE_FAMILY,
    NAMES,
    PATH,
    RELATES,
    SYMBOL,
    IdKey,
    Trace,
    TraceLink,
    TraceMark,
    TraceNode,
    parse_key,
    sort_links,
)
from fieldguide.knowledge.links.trace_reading import is_traced_test, read_trace_words
from fieldguide.search.engine import SearchEngine
from fieldguide.storage.database import Transaction
from fieldguide.text import regex as re
from fieldguide.text.errors import NotFound, Refusal
from fieldguide.text.windows import decode_readable

LARGEST_BYTES = 1 << 20
MOST_LINES = 6
LONGEST_WORDS = 500
NEXT = re.compile(r"^\s*(?:[-*+|#]|[0-9]+[.)]\s)")


class TraceGround:
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
        self._families: dict[str, IdFamily | None] = {}

    @cached_property
    def decisions(self) -> DecisionNames:
        """The decisions."""
        return DecisionNames(self.store.decisions())

    @cached_property
    def miner(self) -> Miner:
        """What weighs links that nobody wrote down."""
        return Miner(self.store, self.history, self.decisions, self.definers)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all files were read once: before, what is not found may still be there."""
        return bool(self.store.stamps([WHOLE]))

    def family(self, name: str) -> IdFamily | None:
        """A family of ids, where it is a list of requirements."""
        if name not in self._families:
            self._families[name] = self.requirements(self.store.role_of_family(DEFINES, name)).get(name)
        return self._families[name]

    def requirements(self, defined: Iterable[PlacedMark]) -> dict[str, IdFamily]:
        """The families of these that are lists of requirements; what decisions are called is none."""
        words = {key.family for row in self.decisions.rows for key in self.decisions.keys(row)}
        return {name: family for name, family in learn_families(defined).items() if name not in words}

    def kind_of(self, path: str) -> str:
        """What a file is in a chain."""
        if path.startswith(f"{trace_model.COMMIT}:"):
            return trace_model.COMMIT
        if path in self.decisions.by_path:
            return trace_model.DECISION
        if find_format(path) is not None:
            return trace_model.DOCUMENT
        return trace_model.TEST if is_traced_test(path) else trace_model.CODE

    def words_at(self, path: str, line: int) -> str:
        """The words that begin in a line of a file as it is now, up to where they end; nothing where it is gone."""
        try:
            lines = decode_readable(self.project.read(path, limit_bytes=LARGEST_BYTES)).split("\n")
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

    def commit_link(self, identity: str, why: str, how: str = trace_model.EXPLICIT) -> TraceLink | None:
        """A link to a commit that HEAD reaches."""
        change = self.history.change(identity)
        if change is None:
            return None
        return TraceLink(trace_model.COMMIT, f"{trace_model.COMMIT}:{change.id[:12]}", 0, why, how, name=change.subject)


COMMIT_PLACE = f"{trace_model.COMMIT}:"


def link_incoming(ground: TraceGround, placed: Iterable[PlacedMark]) -> Iterator[TraceLink]:
    """What names something, as links to it."""
    for path, mark in placed:
        if path.startswith(COMMIT_PLACE):
            link = ground.commit_link(path.removeprefix(COMMIT_PLACE), f"its message names {mark.said or mark.name}")
            if link is not None:
                yield link
        else:
            kind = ground.kind_of(path)
            row = ground.decisions.by_path.get(path)
            name = (
                row.title
                if row
                else mark.said
                if kind in (trace_model.TEST, trace_model.CODE) and mark.role != PATH
                else ""
            )
            yield TraceLink(kind, path, mark.line, _why(mark), name=name)


def _why(mark: TraceMark) -> str:
    if mark.role == CLAIMS:
        return f"claims {mark.name}"
    if mark.role == RELATES:
        return f"its front matter has it as `{mark.said}`"
    return f"names {mark.said if mark.role == PATH else mark.name}"


def link_outgoing(ground: TraceGround, path: str, marks: Iterable[TraceMark]) -> Iterator[TraceLink]:
    """What a text names, as links from it: files, decisions, requirements."""
    for mark in marks:
        if mark.role == PATH:
            yield from _place(ground, path, mark)
        elif mark.role not in (DEFINES, SYMBOL) and mark.family != ISSUE_FAMILY:
            yield from _id(ground, path, mark)


def _place(ground: TraceGround, path: str, mark: TraceMark) -> Iterator[TraceLink]:
    found = ground.places.file(mark, path)
    if found is not None and found != path:
        kind = trace_model.CODE if found.endswith("/") else ground.kind_of(found)
        row = ground.decisions.by_path.get(found)
        yield TraceLink(
            kind, found, 1, f"named in line {mark.line}" if path else "named by it", name=row.title if row else ""
        )


def _id(ground: TraceGround, path: str, mark: TraceMark) -> Iterator[TraceLink]:
    where = f"line {mark.line}" if path else "it"
    how = f"its front matter has it as `{mark.said}`" if mark.role == RELATES else f"{where} names {mark.name}"
    row = ground.decisions.called(mark.name, path)
    if row is not None:
        if row.path != path:
            yield TraceLink(trace_model.DECISION, row.path, 1, how, name=row.title)
        return
    family = ground.family(mark.family)
    home = family.ids.get(mark.name) if family else None
    if home is not None:
        yield TraceLink(trace_model.REQUIREMENT, home.path, home.mark.line, how, name=mark.name)


MOST_FILES = 40
COMMIT_NAMES_NOTHING = "Its message names no requirement or decision, and it changes none."
NOTHING_NAMED = "It names no file, requirement or decision of the project."


def trace_commit(ground: TraceGround, change: HistoryCommit) -> Trace:
    """The chain of a commit."""
    links = [*link_outgoing(ground, "", ground.store.marks_of(f"{trace_model.COMMIT}:{change.id}"))]
    for path in ground.history.files_of(change.id)[:MOST_FILES]:
        row = ground.decisions.by_path.get(path)
        links.append(
            TraceLink(ground.kind_of(path), path, 1, "changed by it", trace_model.CHANGE, name=row.title if row else "")
        )
    found = sort_links(links)
    missing = (
        []
        if {link.kind for link in found} & {trace_model.REQUIREMENT, trace_model.DECISION}
        else [COMMIT_NAMES_NOTHING]
    )
    return Trace(
        TraceNode(trace_model.COMMIT, f"{trace_model.COMMIT}:{change.id[:12]}", change.subject), found, missing
    )


def trace_words(ground: TraceGround, node: TraceNode, text: str, files: Iterable[str] = (), commit: str = "") -> Trace:
    """The chain of a finding or a task: what its words and its evidence name."""
    links = [*link_outgoing(ground, "", read_trace_words(text))]
    links += [TraceLink(ground.kind_of(path), path, line, "its evidence") for path, line in _placed(files)]
    links += [link for link in (ground.commit_link(commit, "its evidence"),) if commit and link is not None]
    found = sort_links(links)
    return Trace(node, found, [] if found else [NOTHING_NAMED])


def _placed(files: Iterable[str]) -> list[tuple[str, int]]:
    return [(path, int(line) if line.isdecimal() else 1) for path, _, line in (each.partition("#L") for each in files)]


MOST_DECISION_TESTS = 8
MOST_TESTS_OF_ONE = 2
MOST_CODE_TESTED = 12
MOST_IN_FOLDER = 60  # files: one that holds more is a whole part of the project
NOTHING_FOLLOWS = "Nothing follows it: no code is named by it, names it, or is likely to be its."
NO_DECISION_TEST = "No test names it or imports its code."


def trace_decision(ground: TraceGround, row: DecisionRow) -> Trace:
    """The chain of a decision."""
    links = [*_written(ground, row), *ground.miner.code_of(row)]
    code = list(dict.fromkeys(link.path for link in links if link.kind == trace_model.CODE))
    links += [*_tests_of_decision(ground, code), *_commits_of_decision(ground, row)]
    name = ground.decisions.keys(row)
    node = TraceNode(trace_model.DECISION, name[0].name if name else row.path, row.title, row.path, 1, row.status)
    found = sort_links(links)
    return Trace(node, found, [] if is_open(row) else _missing_of_decision(ground, row, found))


def is_followed(ground: TraceGround, row: DecisionRow, links: Sequence[TraceLink]) -> bool:
    """Whether code or tests belong to a decision, or a commit that names it changed some."""
    if {link.kind for link in links} & {trace_model.CODE, trace_model.TEST}:
        return True
    commits = find_commits_naming(ground.store, ground.decisions, row)
    return any(is_code(path) for commit in commits for path in ground.history.files_of(commit))


def _missing_of_decision(ground: TraceGround, row: DecisionRow, links: Sequence[TraceLink]) -> list[str]:
    if not is_followed(ground, row, links):
        return [NOTHING_FOLLOWS]
    return [] if trace_model.TEST in {link.kind for link in links} else [NO_DECISION_TEST]


def _written(ground: TraceGround, row: DecisionRow) -> Iterator[TraceLink]:
    yield from link_outgoing(ground, row.path, ground.store.marks_of(row.path))
    yield from link_incoming(ground, find_naming(ground, row))


def find_naming(ground: TraceGround, row: DecisionRow) -> Iterator[PlacedMark]:
    """Where others name a decision: by an id, by its path, or by the number that its path begins with."""
    for key in ground.decisions.keys(row):
        for each in ground.store.named(key.name):
            if each.path != row.path and ground.decisions.called(key.name, each.path) is row:
                yield each
    yield from find_naming_path(ground, row.path)
    base = row.path.rpartition("/")[2].partition(".")[0]
    for name in dict.fromkeys((base, base.partition("-")[0], "-".join(base.split("-")[:2]))):
        for each in ground.store.named(name):
            if each.mark.role == PATH and ground.places.file(each.mark, each.path) == row.path != each.path:
                yield each


def find_naming_path(ground: TraceGround, path: str) -> Iterator[PlacedMark]:
    """Where others name a file by its path."""
    for each in ground.store.named(path.rpartition("/")[2]):
        if each.mark.role == PATH and each.path != path and ground.places.file(each.mark, each.path) == path:
            yield each


def find_naming_folders(ground: TraceGround, path: str) -> Iterator[PlacedMark]:
    """Where decisions name a folder that a file lies in."""
    folder = path.rpartition("/")[0]
    while folder and len(ground.store.below(folder, MOST_IN_FOLDER)) < MOST_IN_FOLDER:
        for each in ground.store.named(folder.rpartition("/")[2]):
            is_named = each.mark.role == PATH and each.mark.said.endswith("/") and each.path in ground.decisions.by_path
            if is_named and ground.places.file(each.mark, each.path) == f"{folder}/":
                yield each
        folder = folder.rpartition("/")[0]


def _tests_of_decision(ground: TraceGround, code: Sequence[str]) -> Iterator[TraceLink]:
    """The tests that import the code, a few of each."""
    taken = 0
    for path in code[:MOST_CODE_TESTED]:
        tests = [edge for edge in ground.imports.importers([path]) if edge.bond == 0 and is_test(edge.importer)]
        for edge in tests[:MOST_TESTS_OF_ONE]:
            if taken < MOST_DECISION_TESTS:
                taken += 1
                yield TraceLink(trace_model.TEST, edge.importer, edge.line, f"imports {path}", trace_model.IMPORT)


def _commits_of_decision(ground: TraceGround, row: DecisionRow) -> Iterator[TraceLink]:
    """The commits that began and last changed it."""
    commits = ground.history.commits_of(row.path, 1_000)
    for change in dict.fromkeys((*commits[-1:], *commits[:1])):
        why = "began it" if change == commits[-1] else "changed it last"
        link = ground.commit_link(change.id, why, trace_model.CHANGE)
        if link is not None:
            yield link


MOST_FILE_TESTS = 12
MOST_COMMITS = 5
MOST_CLAIMING = 3  # tests that import it and nothing else tells more of: what they prove is proved of it
MOST_PROVED = 10
NOTHING_LEADS_TO_FILE = "No requirement or decision leads here."
NO_FILE_TEST = "No test imports or names it."


def trace_file(ground: TraceGround, path: str) -> Trace:
    """The chain of a file."""
    links = [
        *_said(ground, path),
        *_mined_of_file(ground, path),
        *_tests_of_file(ground, path),
        *_commits_of_file(ground, path),
    ]
    found = sort_links(link for link in links if link.path != path)
    kinds = {link.kind for link in found}
    missing = [] if kinds & {trace_model.REQUIREMENT, trace_model.DECISION} else [NOTHING_LEADS_TO_FILE]
    missing += [] if trace_model.TEST in kinds or not is_code(path) else [NO_FILE_TEST]
    return Trace(TraceNode(ground.kind_of(path), path, path=path, line=1), found, missing)


def _said(ground: TraceGround, path: str) -> Iterator[TraceLink]:
    yield from link_outgoing(ground, path, ground.store.marks_of(path))
    yield from link_incoming(ground, (*find_naming_path(ground, path), *find_naming_folders(ground, path)))


def _mined_of_file(ground: TraceGround, path: str) -> Iterator[TraceLink]:
    if not is_code(path):
        return
    for row, link in ground.miner.decisions_of(path, ground.definers.names_in(path)):
        yield link._replace(kind=trace_model.DECISION, path=row.path, line=1, name=row.title)


def _tests_of_file(ground: TraceGround, path: str) -> Iterator[TraceLink]:
    """What a test imports; the tests that import code, and what the nearest of them claim."""
    if is_test(path):
        for edge in ground.imports.imported_by(path)[:MOST_FILE_TESTS]:
            if is_code(edge.imported):
                yield TraceLink(trace_model.CODE, edge.imported, 1, f"imported in line {edge.line}", trace_model.IMPORT)
        return
    edges = [edge for edge in ground.imports.importers([path]) if is_test(edge.importer) and edge.bond == 0]
    for edge in edges[:MOST_FILE_TESTS]:
        yield TraceLink(trace_model.TEST, edge.importer, edge.line, "imports it", trace_model.IMPORT)
    yield from _proved(ground, [edge.importer for edge in edges] if len(edges) <= MOST_CLAIMING else [])


def _proved(ground: TraceGround, tests: Sequence[str]) -> Iterator[TraceLink]:
    for test in tests:
        claims = [mark for mark in ground.store.marks_of(test) if mark.role in (CLAIMS, DEFINES)]
        for link in [*link_outgoing(ground, test, claims)][:MOST_PROVED]:
            if link.kind == trace_model.REQUIREMENT:
                yield link._replace(why=f"claimed by {test}, which imports it", how=trace_model.IMPORT)


def _commits_of_file(ground: TraceGround, path: str) -> Iterator[TraceLink]:
    for change in ground.history.commits_of(path, MOST_COMMITS):
        link = ground.commit_link(change.id, "changed it", trace_model.CHANGE)
        if link is not None:
            yield link


FEW_FILES = 6  # of a commit that names it: what it changes belongs to it
SAID = 0.8
ALIKE = 0.85
AFFIX = re.compile(r"^test[-_]|[-_]?tests?$|[-_]?spec$")
NO_REQUIREMENT_TEST = "No test names it."
NOTHING = "No decision, code or commit names it."


def trace_requirement(ground: TraceGround, key: IdKey) -> Trace | None:
    """The chain of an id; None where no file and no commit has it."""
    placed = ground.store.named(key.name)
    if not placed:
        return None
    family = ground.family(key.family)
    home = family.ids.get(key.name) if family else None
    links = sort_links(
        [*link_incoming(ground, (each for each in placed if each != home)), *_mined_of_requirement(ground, placed)]
    )
    node = TraceNode(trace_model.ISSUE if key.family == ISSUE_FAMILY else trace_model.REQUIREMENT, key.name)
    if home is not None:
        words = ground.words_at(home.path, home.mark.line)
        node = node._replace(path=home.path, line=home.mark.line, text=words)
    return Trace(node, links, _missing_of_requirement(node, links, is_listed=home is not None))


def _missing_of_requirement(node: TraceNode, links: list[TraceLink], *, is_listed: bool) -> list[str]:
    kinds = {link.kind for link in links}
    missing = [] if is_listed or node.kind == trace_model.ISSUE else ["No list of requirements defines it."]
    missing += [] if trace_model.TEST in kinds or node.kind == trace_model.ISSUE else [NO_REQUIREMENT_TEST]
    return missing + ([] if kinds - {trace_model.TEST, trace_model.DOCUMENT} else [NOTHING])


def _mined_of_requirement(ground: TraceGround, placed: list[PlacedMark]) -> Iterator[TraceLink]:
    """Code that small commits changed which name it, and code that the tests that name it are called after."""
    prefix = f"{trace_model.COMMIT}:"
    for each in placed:
        if each.path.startswith(prefix):
            yield from _changed_by(ground, each.path.removeprefix(prefix))
    for test in dict.fromkeys(each.path for each in placed if is_traced_test(each.path)):
        yield from _tested_by(ground, test)


def _changed_by(ground: TraceGround, commit: str) -> Iterator[TraceLink]:
    files = ground.history.files_of(commit)
    code = [path for path in files if is_code(path)]
    if len(files) <= LARGEST_COMMIT and len(code) <= FEW_FILES:
        why = f"changed by commit {commit[:8]}, whose message names it"
        yield from (TraceLink(trace_model.CODE, path, 1, why, trace_model.MINED, SAID) for path in code)


def _tested_by(ground: TraceGround, test: str) -> Iterator[TraceLink]:
    for edge in ground.imports.imported_by(test):
        if edge.bond == 0 and is_code(edge.imported) and _is_called_after(test, edge.imported):
            why = f"imported by {test}, which names it and is called after it"
            yield TraceLink(trace_model.CODE, edge.imported, 1, why, trace_model.MINED, ALIKE)


def _is_called_after(test: str, path: str) -> bool:
    """Whether a test is called as code is, or as its folder and it."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0].lower()
    plain = AFFIX.sub("", test.rpartition("/")[2].partition(".")[0].lower())
    return len(stem) > 3 and plain in (stem, f"{folder.rpartition('/')[2].lower()}_{stem}")


COMMIT = re.compile(r"(?i)(?:commit:)?([0-9a-f]{7,40})")
COMMIT_PREFIX = "commit:"
LONGEST_NAME = 200


def open_ground(
    engine: SearchEngine, transaction: Transaction, namespace: str, project: ConfinedFolder, history: History
) -> TraceGround:
    """What questions about one project are asked of."""
    return TraceGround(engine, transaction, namespace, project, history)


def find_trace(ground: TraceGround, of: str, path: str = "") -> Trace:
    """The chain of what is asked about; `path` is the file that it names, where it names one."""
    if path:
        row = ground.decisions.by_path.get(path)
        return trace_decision(ground, row) if row else trace_file(ground, path)
    for seek in (_commit, _decision, _requirement, _symbol):
        found = seek(ground, of)
        if found is not None:
            return found
    raise NotFound(f"Nothing here is called {of[:LONGEST_NAME]!r}: no file, decision, requirement, issue or commit.")


def _commit(ground: TraceGround, of: str) -> Trace | None:
    named = COMMIT.fullmatch(of.strip())
    change = ground.history.change(named.group(1).lower()) if named else None
    if change is not None:
        return trace_commit(ground, change)
    if of.strip().lower().startswith(COMMIT_PREFIX):
        raise NotFound(f"No commit {of[:LONGEST_NAME]!r} that HEAD reaches is known.")
    return None


def _decision(ground: TraceGround, of: str) -> Trace | None:
    rows = ground.decisions.found(of)
    if len(rows) > 1:
        named_paths = ", ".join(row.path for row in rows[:5])
        raise NotFound(f"{of[:LONGEST_NAME]!r} may mean several decisions: {named_paths}. Ask with a path.")
    return trace_decision(ground, rows[0]) if rows else None


def _requirement(ground: TraceGround, of: str) -> Trace | None:
    key = parse_key(of)
    return trace_requirement(ground, key) if key else None


def _symbol(ground: TraceGround, of: str) -> Trace | None:
    defined = ground.definers.only(of.strip())
    return trace_file(ground, defined.path) if defined else None


UNTESTED = "untested"
UNFOLLOWED = "unfollowed"
UNKNOWN = "unknown"
MOST_DECISIONS = 500
LEAST_TESTED = 0.2  # of a family: with fewer, tests do not name its ids here, and none of them is missing a test


class TraceGap(NamedTuple):
    """Something that is missing, and where it would belong."""

    kind: str
    name: str
    path: str
    line: int
    why: str


class TraceSummary(NamedTuple):
    """How much is traced, and every gap."""

    requirements: int
    tested: int
    decisions: int
    followed: int
    gaps: list[TraceGap]


def summarize_trace(ground: TraceGround) -> TraceSummary:
    """The trace of everything that a project defines."""
    families = ground.requirements(ground.store.defined()).values()
    gaps: list[TraceGap] = []
    requirements = tested = 0
    for family in families:
        proved = _tested(ground, family)
        claimed = ground.store.role_of_family(CLAIMS, family.name)
        if len(proved) < LEAST_TESTED * len(family.ids):
            continue
        requirements = requirements + len(family.ids)
        tested = tested + len(proved)
        gaps += _untested(family, proved)
        gaps += _unknown(family, claimed)
    held = [row for row in ground.decisions.rows if not is_open(row)][:MOST_DECISIONS]
    unfollowed = [*_unfollowed(ground)]
    return TraceSummary(requirements, tested, len(held), len(held) - len(unfollowed), [*gaps, *unfollowed])


def _tested(ground: TraceGround, family: IdFamily) -> set[str]:
    """The ids that a test claims or names elsewhere than where they are defined."""
    homes = {home.path for home in family.ids.values()}
    claimed = set(ground.store.role_of_family(CLAIMS, family.name))
    named = [*claimed, *ground.store.role_of_family(NAMES, family.name)]
    found = {
        each.mark.name for each in named if is_traced_test(each.path) and (each.path not in homes or each in claimed)
    }
    return found & set(family.ids)


def _untested(family: IdFamily, proved: set[str]) -> Iterator[TraceGap]:
    for name, home in family.ids.items():
        if name not in proved:
            yield TraceGap(UNTESTED, name, home.path, home.mark.line, "no test names it")


def _unknown(family: IdFamily, claimed: list[PlacedMark]) -> Iterator[TraceGap]:
    for each in claimed:
        if each.mark.name not in family.ids and is_traced_test(each.path):
            why = f"{each.mark.said or 'a test'} claims it, and nothing defines it"
            yield TraceGap(UNKNOWN, each.mark.name, each.path, each.mark.line, why)


def _unfollowed(ground: TraceGround) -> Iterator[TraceGap]:
    for row in [row for row in ground.decisions.rows if not is_open(row)][:MOST_DECISIONS]:
        if not is_followed(ground, row, trace_decision(ground, row).links):
            yield TraceGap(UNFOLLOWED, row.title, row.path, 1, "no code or test follows it")
