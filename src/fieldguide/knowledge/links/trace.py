"""Traces a decision, requirement, file or commit to its related code, tests and commits, and finds the gaps."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from fieldguide.code.imports.graph import Edge, ImportStore
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import find_format, is_test
from fieldguide.git.history import History
from fieldguide.git.log import HistoryCommit
from fieldguide.knowledge.links import trace_reading
from fieldguide.knowledge.links.mentions import ISSUE_FAMILY, IdKey, parse_key
from fieldguide.knowledge.links.mining import LARGEST_COMMIT, Miner, find_commits_naming, is_own_code
from fieldguide.knowledge.links.project_names import (
    DecisionNames,
    Definers,
    IdFamily,
    PlaceNames,
    is_open,
    learn_families,
)
from fieldguide.knowledge.links.trace_index import WHOLE, DecisionRow, PlacedMark, TraceStore
from fieldguide.knowledge.links.trace_reading import (
    CLAIMS,
    DEFINES,
    NAMES,
    RELATES,
    Trace,
    TraceLink,
    TraceMark,
    TraceNode,
    read_trace_words,
    sort_links,
)
from fieldguide.search.engine import SearchEngine
from fieldguide.storage.database import Transaction
from fieldguide.text import regex as re
from fieldguide.text.citation import PATH, SYMBOL
from fieldguide.text.errors import NotFound, Refusal
from fieldguide.text.windows import decode_readable

NEXT = re.compile(r"^\s*(?:[-*+|#]|[0-9]+[.)]\s)")
AFFIX = re.compile(r"^test[-_]|[-_]?tests?$|[-_]?spec$")
COMMIT = re.compile(r"(?i)(?:commit:)?([0-9a-f]{7,40})")
COMMIT_PREFIX = "commit:"
LARGEST_BYTES = 1 << 20
MOST_LINES = 6
LONGEST_WORDS = 500
LONGEST_NAME = 200
MOST_FILES = 40
MOST_DECISION_TESTS = 8
MOST_TESTS_OF_ONE = 2
MOST_CODE_TESTED = 12
MOST_IN_FOLDER = 60  # files: a folder with more is a whole part of the project
MOST_FILE_TESTS = 12
MOST_COMMITS = 5
MOST_CLAIMING = 3  # importing tests: with so few, what they prove is proved of the file
MOST_PROVED = 10
FEW_FILES = 6  # of a commit that names a requirement: what it changes belongs to it
SAID = 0.8
ALIKE = 0.85
MOST_DECISIONS = 500
LEAST_TESTED = 0.2  # of a family: with fewer, its ids are not named in tests here, and none is missing a test
UNTESTED = "untested"
UNFOLLOWED = "unfollowed"
UNKNOWN = "unknown"
COMMIT_NAMES_NOTHING = "Its message names no requirement or decision, and it changes none."
NOTHING_NAMED = "It names no file, requirement or decision of the project."
NOTHING_FOLLOWS = "Nothing follows it: no code is named by it, names it, or is likely to be its."
NO_DECISION_TEST = "No test names it or imports its code."
NOTHING_LEADS_TO_FILE = "No requirement or decision leads here."
NO_FILE_TEST = "No test imports or names it."
NO_LIST = "No list of requirements defines it."
NO_REQUIREMENT_TEST = "No test names it."
NOTHING = "No decision, code or commit names it."


class TraceGround:
    """The stores of a project in one transaction, and what is derived from them on demand."""

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
        """The decisions by path, number and name."""
        return DecisionNames(self.store.decisions())

    @cached_property
    def miner(self) -> Miner:
        """Infers links that nobody wrote down."""
        return Miner(self.store, self.history, self.decisions, self.definers)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all files were read once; before that, a missing link may still be found."""
        return bool(self.store.stamps([WHOLE]))

    def family(self, name: str) -> IdFamily | None:
        """A family of ids, where it is a list of requirements."""
        if name not in self._families:
            self._families[name] = self.requirements(self.store.role_of_family(DEFINES, name)).get(name)
        return self._families[name]

    def requirements(self, defined: Iterable[PlacedMark]) -> dict[str, IdFamily]:
        """The families of these that are lists of requirements; the ids of decisions are not."""
        families = learn_families(defined)
        for row in self.decisions.rows:
            for key in self.decisions.keys(row):
                families.pop(key.family, None)
        return families

    def kind_of(self, path: str) -> str:
        """The kind of link that leads to a file."""
        if path.startswith(COMMIT_PREFIX):
            return trace_reading.COMMIT
        if path in self.decisions.by_path:
            return trace_reading.DECISION
        if find_format(path) is not None:
            return trace_reading.DOCUMENT
        if is_test(path):
            return trace_reading.TEST
        return trace_reading.CODE

    def title_of(self, path: str) -> str:
        """The title of a decision; empty for any other file."""
        row = self.decisions.by_path.get(path)
        return row.title if row else ""

    def words_at(self, path: str, line: int) -> str:
        """The sentence or list entry that begins in a line of a file; empty if the file is gone."""
        try:
            lines = decode_readable(self.project.read(path, limit_bytes=LARGEST_BYTES)).split("\n")
        except Refusal:
            return ""
        if not line:
            return ""
        words: list[str] = []
        for each in lines[line - 1 : line - 1 + MOST_LINES]:
            if words and (not each.strip() or NEXT.match(each)):
                break
            words.append(each.strip())
            if each.rstrip().endswith((".", "),", ")", "|")):
                break
        return " ".join(words)[:LONGEST_WORDS]

    def commit_link(self, identity: str, why: str, how: str = trace_reading.EXPLICIT) -> Iterator[TraceLink]:
        """A link to a commit, if HEAD reaches it."""
        change = self.history.change(identity)
        if change is not None:
            place = f"{COMMIT_PREFIX}{change.id[:12]}"
            yield TraceLink(trace_reading.COMMIT, place, 0, why, how, name=change.subject)


def link_incoming(ground: TraceGround, placed: Iterable[PlacedMark]) -> Iterator[TraceLink]:
    """Links from the places that name something."""
    for path, mark in placed:
        if path.startswith(COMMIT_PREFIX):
            why = f"its message names {mark.said or mark.name}"
            yield from ground.commit_link(path.removeprefix(COMMIT_PREFIX), why)
            continue
        kind = ground.kind_of(path)
        name = ground.title_of(path)
        if not name and kind in (trace_reading.TEST, trace_reading.CODE) and mark.role != PATH:
            name = mark.said
        yield TraceLink(kind, path, mark.line, _why(mark), name=name)


def _why(mark: TraceMark) -> str:
    if mark.role == CLAIMS:
        return f"claims {mark.name}"
    if mark.role == RELATES:
        return f"its front matter has it as `{mark.said}`"
    if mark.role == PATH:
        return f"names {mark.said}"
    return f"names {mark.name}"


def link_outgoing(ground: TraceGround, path: str, marks: Iterable[TraceMark]) -> Iterator[TraceLink]:
    """Links to the files, decisions and requirements that a text names."""
    for mark in marks:
        if mark.role == PATH:
            yield from _place(ground, path, mark)
        elif mark.role not in (DEFINES, SYMBOL) and mark.family != ISSUE_FAMILY:
            yield from _id(ground, path, mark)


def _place(ground: TraceGround, path: str, mark: TraceMark) -> Iterator[TraceLink]:
    target = ground.places.file(mark, path)
    if target is None or target == path:
        return
    kind = trace_reading.CODE if target.endswith("/") else ground.kind_of(target)
    why = f"named in line {mark.line}" if path else "named by it"
    yield TraceLink(kind, target, 1, why, name=ground.title_of(target))


def _id(ground: TraceGround, path: str, mark: TraceMark) -> Iterator[TraceLink]:
    if mark.role == RELATES:
        why = f"its front matter has it as `{mark.said}`"
    elif path:
        why = f"line {mark.line} names {mark.name}"
    else:
        why = f"it names {mark.name}"
    row = ground.decisions.called(mark.name, path)
    if row is not None:
        if row.path != path:
            yield TraceLink(trace_reading.DECISION, row.path, 1, why, name=row.title)
        return
    family = ground.family(mark.family)
    home = family.ids.get(mark.name) if family else None
    if home is not None:
        yield TraceLink(trace_reading.REQUIREMENT, home.path, home.mark.line, why, name=mark.name)


def trace_commit(ground: TraceGround, change: HistoryCommit) -> Trace:
    """Trace a commit."""
    links = [*link_outgoing(ground, "", ground.store.marks_of(f"{COMMIT_PREFIX}{change.id}"))]
    for path in ground.history.files_of(change.id)[:MOST_FILES]:
        kind = ground.kind_of(path)
        links.append(TraceLink(kind, path, 1, "changed by it", trace_reading.CHANGE, name=ground.title_of(path)))
    links = sort_links(links)
    missing: list[str] = []
    if not _has_kind(links, trace_reading.REQUIREMENT, trace_reading.DECISION):
        missing.append(COMMIT_NAMES_NOTHING)
    return Trace(TraceNode(trace_reading.COMMIT, f"{COMMIT_PREFIX}{change.id[:12]}", change.subject), links, missing)


def _has_kind(links: Iterable[TraceLink], *kinds: str) -> bool:
    return any(link.kind in kinds for link in links)


def trace_words(ground: TraceGround, node: TraceNode, text: str, files: Iterable[str] = (), commit: str = "") -> Trace:
    """Trace a finding or a task by what its words and its evidence name."""
    links = [*link_outgoing(ground, "", read_trace_words(text))]
    for file in files:
        path, _, number = file.partition("#L")
        line = int(number) if number.isdecimal() else 1
        links.append(TraceLink(ground.kind_of(path), path, line, "its evidence"))
    if commit:
        links += ground.commit_link(commit, "its evidence")
    links = sort_links(links)
    return Trace(node, links, [] if links else [NOTHING_NAMED])


def trace_decision(ground: TraceGround, row: DecisionRow) -> Trace:
    """Trace a decision."""
    links = [*link_outgoing(ground, row.path, ground.store.marks_of(row.path))]
    links += link_incoming(ground, find_naming(ground, row))
    links += ground.miner.code_of(row)
    code = list(dict.fromkeys(link.path for link in links if link.kind == trace_reading.CODE))
    links += islice(_tests_of_decision(ground, code), MOST_DECISION_TESTS)
    links += _commits_of_decision(ground, row)
    links = sort_links(links)
    keys = ground.decisions.keys(row)
    name = keys[0].name if keys else row.path
    missing: list[str] = []
    if not is_open(row):
        if not is_followed(ground, row, links):
            missing.append(NOTHING_FOLLOWS)
        elif not _has_kind(links, trace_reading.TEST):
            missing.append(NO_DECISION_TEST)
    return Trace(TraceNode(trace_reading.DECISION, name, row.title, row.path, 1, row.status), links, missing)


def is_followed(ground: TraceGround, row: DecisionRow, links: Sequence[TraceLink]) -> bool:
    """Whether code or tests belong to a decision, or a commit that names it changed code."""
    if _has_kind(links, trace_reading.CODE, trace_reading.TEST):
        return True
    commits = find_commits_naming(ground.store, ground.decisions, row)
    return any(is_own_code(path) for commit in commits for path in ground.history.files_of(commit))


def find_naming(ground: TraceGround, row: DecisionRow) -> Iterator[PlacedMark]:
    """Find where others name a decision: by an id, by its path, or by the number that its path begins with."""
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
    """Find where others name a file by its path."""
    for each in ground.store.named(path.rpartition("/")[2]):
        if each.mark.role == PATH and each.path != path and ground.places.file(each.mark, each.path) == path:
            yield each


def find_naming_folders(ground: TraceGround, path: str) -> Iterator[PlacedMark]:
    """Find where decisions name a folder that holds a file."""
    folder = path.rpartition("/")[0]
    while folder and len(ground.store.below(folder, MOST_IN_FOLDER)) < MOST_IN_FOLDER:
        for each in ground.store.named(folder.rpartition("/")[2]):
            is_named = each.mark.role == PATH and each.mark.said.endswith("/") and each.path in ground.decisions.by_path
            if is_named and ground.places.file(each.mark, each.path) == f"{folder}/":
                yield each
        folder = folder.rpartition("/")[0]


def _tests_of_decision(ground: TraceGround, code: Sequence[str]) -> Iterator[TraceLink]:
    """The tests that import the code, a few of each."""
    for path in code[:MOST_CODE_TESTED]:
        for edge in _importing_tests(ground, path)[:MOST_TESTS_OF_ONE]:
            yield TraceLink(trace_reading.TEST, edge.importer, edge.line, f"imports {path}", trace_reading.IMPORT)


def _importing_tests(ground: TraceGround, path: str) -> list[Edge]:
    return [edge for edge in ground.imports.importers([path]) if edge.bond == 0 and is_test(edge.importer)]


def _commits_of_decision(ground: TraceGround, row: DecisionRow) -> Iterator[TraceLink]:
    """The commits that began and last changed it."""
    commits = ground.history.commits_of(row.path, 1_000)
    for change in dict.fromkeys((*commits[-1:], *commits[:1])):
        why = "began it" if change == commits[-1] else "changed it last"
        yield from ground.commit_link(change.id, why, trace_reading.CHANGE)


def trace_file(ground: TraceGround, path: str) -> Trace:
    """Trace a file."""
    links = [*link_outgoing(ground, path, ground.store.marks_of(path))]
    links += link_incoming(ground, (*find_naming_path(ground, path), *find_naming_folders(ground, path)))
    if is_own_code(path):
        for row, link in ground.miner.decisions_of(path, ground.definers.names_in(path)):
            links.append(link._replace(kind=trace_reading.DECISION, path=row.path, line=1, name=row.title))
    links += _tests_of_file(ground, path)
    for change in ground.history.commits_of(path, MOST_COMMITS):
        links += ground.commit_link(change.id, "changed it", trace_reading.CHANGE)
    links = sort_links(link for link in links if link.path != path)
    missing: list[str] = []
    if not _has_kind(links, trace_reading.REQUIREMENT, trace_reading.DECISION):
        missing.append(NOTHING_LEADS_TO_FILE)
    if is_own_code(path) and not _has_kind(links, trace_reading.TEST):
        missing.append(NO_FILE_TEST)
    return Trace(TraceNode(ground.kind_of(path), path, path=path, line=1), links, missing)


def _tests_of_file(ground: TraceGround, path: str) -> Iterator[TraceLink]:
    """What a test imports; or the tests that import code, and what the nearest of them claim."""
    if is_test(path):
        for edge in ground.imports.imported_by(path)[:MOST_FILE_TESTS]:
            if is_own_code(edge.imported):
                yield TraceLink(
                    trace_reading.CODE, edge.imported, 1, f"imported in line {edge.line}", trace_reading.IMPORT
                )
        return
    edges = _importing_tests(ground, path)
    for edge in edges[:MOST_FILE_TESTS]:
        yield TraceLink(trace_reading.TEST, edge.importer, edge.line, "imports it", trace_reading.IMPORT)
    if len(edges) <= MOST_CLAIMING:
        for edge in edges:
            yield from _claims_of_test(ground, edge.importer)


def _claims_of_test(ground: TraceGround, test: str) -> Iterator[TraceLink]:
    claims = [mark for mark in ground.store.marks_of(test) if mark.role in (CLAIMS, DEFINES)]
    for link in [*link_outgoing(ground, test, claims)][:MOST_PROVED]:
        if link.kind == trace_reading.REQUIREMENT:
            yield link._replace(why=f"claimed by {test}, which imports it", how=trace_reading.IMPORT)


def trace_requirement(ground: TraceGround, key: IdKey) -> Trace | None:
    """Trace an id; None if no file and no commit has it."""
    placed = ground.store.named(key.name)
    if not placed:
        return None
    family = ground.family(key.family)
    home = family.ids.get(key.name) if family else None
    links = [*link_incoming(ground, (each for each in placed if each != home))]
    links = sort_links([*links, *_mined_of_requirement(ground, placed)])
    missing: list[str] = []
    node = TraceNode(trace_reading.ISSUE, key.name)
    if key.family != ISSUE_FAMILY:
        node = TraceNode(trace_reading.REQUIREMENT, key.name)
        if home is None:
            missing.append(NO_LIST)
        if not _has_kind(links, trace_reading.TEST):
            missing.append(NO_REQUIREMENT_TEST)
    if home is not None:
        words = ground.words_at(home.path, home.mark.line)
        node = node._replace(path=home.path, line=home.mark.line, text=words)
    if not {link.kind for link in links} - {trace_reading.TEST, trace_reading.DOCUMENT}:
        missing.append(NOTHING)
    return Trace(node, links, missing)


def _mined_of_requirement(ground: TraceGround, placed: list[PlacedMark]) -> Iterator[TraceLink]:
    """Code changed by small commits that name the id, and code that a test is called after which names the id."""
    for each in placed:
        if each.path.startswith(COMMIT_PREFIX):
            yield from _changed_by(ground, each.path.removeprefix(COMMIT_PREFIX))
    for test in dict.fromkeys(each.path for each in placed if is_test(each.path)):
        for edge in ground.imports.imported_by(test):
            if edge.bond == 0 and is_own_code(edge.imported) and _is_called_after(test, edge.imported):
                why = f"imported by {test}, which names it and is called after it"
                yield TraceLink(trace_reading.CODE, edge.imported, 1, why, trace_reading.MINED, ALIKE)


def _changed_by(ground: TraceGround, commit: str) -> Iterator[TraceLink]:
    files = ground.history.files_of(commit)
    code = [path for path in files if is_own_code(path)]
    if len(files) <= LARGEST_COMMIT and len(code) <= FEW_FILES:
        why = f"changed by commit {commit[:8]}, whose message names it"
        for path in code:
            yield TraceLink(trace_reading.CODE, path, 1, why, trace_reading.MINED, SAID)


def _is_called_after(test: str, path: str) -> bool:
    """Whether a test has the name of a code file, or of its folder and it."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0].lower()
    plain = AFFIX.sub("", test.rpartition("/")[2].partition(".")[0].lower())
    return len(stem) > 3 and plain in (stem, f"{folder.rpartition('/')[2].lower()}_{stem}")


def find_trace(ground: TraceGround, of: str, path: str = "") -> Trace:
    """Trace what `of` names; `path` is the file that it names, if it names one."""
    if path:
        row = ground.decisions.by_path.get(path)
        if row:
            return trace_decision(ground, row)
        return trace_file(ground, path)
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


class TraceGap(NamedTuple):
    """A missing link, and the place that lacks it."""

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
    """Count what is traced of everything that a project defines, and list the gaps."""
    gaps: list[TraceGap] = []
    requirements = tested = 0
    for family in ground.requirements(ground.store.defined()).values():
        claimed = ground.store.role_of_family(CLAIMS, family.name)
        proved = _tested(ground, family, claimed)
        if len(proved) < LEAST_TESTED * len(family.ids):
            continue
        requirements += len(family.ids)
        tested += len(proved)
        for name, home in family.ids.items():
            if name not in proved:
                gaps.append(TraceGap(UNTESTED, name, home.path, home.mark.line, "no test names it"))
        gaps += _unknown(family, claimed)
    decisions = [row for row in ground.decisions.rows if not is_open(row)][:MOST_DECISIONS]
    followed = 0
    for row in decisions:
        if is_followed(ground, row, trace_decision(ground, row).links):
            followed += 1
        else:
            gaps.append(TraceGap(UNFOLLOWED, row.title, row.path, 1, "no code or test follows it"))
    return TraceSummary(requirements, tested, len(decisions), followed, gaps)


def _tested(ground: TraceGround, family: IdFamily, claimed: Sequence[PlacedMark]) -> set[str]:
    """The ids that a test claims, or names elsewhere than where they are defined."""
    homes = {home.path for home in family.ids.values()}
    names = [each for each in ground.store.role_of_family(NAMES, family.name) if each.path not in homes]
    tested = {each.mark.name for each in (*claimed, *names) if is_test(each.path)}
    return tested & set(family.ids)


def _unknown(family: IdFamily, claimed: list[PlacedMark]) -> Iterator[TraceGap]:
    for each in claimed:
        if each.mark.name not in family.ids and is_test(each.path):
            why = f"{each.mark.said or 'a test'} claims it, and nothing defines it"
            yield TraceGap(UNKNOWN, each.mark.name, each.path, each.mark.line, why)
