"""Stores the packed symbol facts of files and which files contain a name, and keeps them up to date.

Files that are likely to have a name are read first when it is asked for.

The texts come from the index, so nothing is read from disk twice, and no name is resolved: that is done when somebody
asks. What is kept of a file is written whole or not at all, so that a kill leaves nothing half done.
"""

import json
import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from time import monotonic, sleep
from typing import Any, NamedTuple, cast

from fieldguide.code.imports.graph import MANIFESTS, ImportStore, load_indexed_hashes, load_indexed_texts
from fieldguide.code.symbols.facts import PackedFacts, SymbolFacts, collect_names, pack, unpack_shape, unpack_uses
from fieldguide.code.symbols.readers.walk import is_read, parse_packed, read_packed
from fieldguide.files.kinds import language_of
from fieldguide.search.derived import Derived, DerivedRows, find_changes
from fieldguide.search.engine import SearchEngine
from fieldguide.search.types import Scope, locate_chunk
from fieldguide.storage.database import Transaction
from fieldguide.text import regex as re
from fieldguide.text.errors import FieldguideError
from fieldguide.text.words import extract_query_terms

MOST_FILES = 2_000
LAST_PATH = chr(0x10FFFF)


class KeptFile(NamedTuple):
    """A file that is kept, and the hash of the content that was read for it."""

    id: int
    path: str
    hash: str


read_columns: Callable[[Mapping[str, Any]], tuple[Any, ...]] = itemgetter("id", "path", "hash")
make_kept_file: Callable[[tuple[Any, ...]], KeptFile] = partial(cast(Any, tuple).__new__, KeptFile)
"""A `KeptFile` of its fields, in half the time: thousands of files have a common name."""


class SymbolStore(DerivedRows):
    """The symbols of one project, in one transaction of the index's database."""

    def hashes(self, only: Iterable[str] | None = None) -> dict[str, str]:
        """The content, by its hash, that the facts of each file, or only of some, were read from."""
        return self._fetch_stamps("SELECT path, hash AS stamp FROM symbol_file WHERE namespace = :namespace", only)

    def put(self, path: str, digest: str, packed: PackedFacts) -> None:
        """Keep the facts of a file in place of what was kept of it."""
        before = self._names(path)
        row = self._transaction.fetch_one(
            """
            INSERT INTO symbol_file (namespace, path, hash, shape, uses)
            VALUES (:namespace, :path, :hash, :shape, :uses)
            ON CONFLICT (namespace, path)
            DO UPDATE SET hash = excluded.hash, shape = excluded.shape, uses = excluded.uses
            RETURNING id
            """,
            {
                "namespace": self._namespace,
                "path": path,
                "hash": digest,
                "shape": packed.shape,
                "uses": packed.uses,
            },
        )
        if row is not None:
            self._keep_names(int(row["id"]), before, packed.names)

    def forget(self, paths: Iterable[str]) -> None:
        """Forget files that are gone."""
        for path in paths:
            kept = self.file(path)
            if kept is not None:
                self._keep_names(kept.id, self._names(path), {})
                self._transaction.execute("DELETE FROM symbol_file WHERE id = :id", {"id": kept.id})

    def file(self, path: str) -> KeptFile | None:
        """What is kept of a path."""
        rows = self._fetch(
            "SELECT id, path, hash FROM symbol_file WHERE namespace = :namespace AND path = :path", path=path
        )
        return _kept(rows[0]) if rows else None

    def having(self, name: str, does: int, most: int = MOST_FILES) -> list[KeptFile]:
        """The files that do something with a name (`DEFINES`, …), by path; at most so many.

        `CROSS JOIN` has SQLite begin with the few files of the name, and not with all of the project's.
        """
        sql = """
            SELECT symbol_file.id AS id, symbol_file.path AS path, symbol_file.hash AS hash
            FROM symbol_name CROSS JOIN symbol_file
            WHERE symbol_file.id = symbol_name.file_id AND symbol_file.namespace = :namespace
            AND symbol_name.name = :name AND symbol_name.part & :does <> 0
            ORDER BY symbol_file.path LIMIT :most
        """
        return [_kept(row) for row in self._fetch(sql, name=name, does=does, most=most)]

    def defining_in(self, folder: str, name: str) -> list[str]:
        """The files right in a folder that define a name, by path: few of those that define it anywhere.

        `CROSS JOIN` has SQLite begin with the files of the folder, whose paths and numbers are in one index.
        """
        below = f"{folder}/" if folder else ""
        sql = """
            SELECT symbol_file.path AS path
            FROM symbol_file CROSS JOIN symbol_name
            WHERE symbol_file.namespace = :namespace AND symbol_file.path >= :below AND symbol_file.path < :after
            AND SUBSTR(symbol_file.path, :length) NOT LIKE '%/%'
            AND symbol_name.name = :name AND symbol_name.file_id = symbol_file.id AND symbol_name.part & 1 <> 0
            ORDER BY symbol_file.path
        """
        after = f"{folder}0" if folder else LAST_PATH
        rows = self._fetch(sql, below=below, after=after, length=len(below) + 1, name=name)
        return [str(row["path"]) for row in rows]

    def names(self, most: int, letter: str = "") -> list[str]:
        """What is defined, or what of it begins with a letter, by name; at most so many."""
        within = "symbol_name.name >= :first AND symbol_name.name < :after AND"
        sql = """
            SELECT DISTINCT symbol_name.name AS name
            FROM symbol_name CROSS JOIN symbol_file
            WHERE within symbol_file.id = symbol_name.file_id AND symbol_file.namespace = :namespace
            AND symbol_name.part & 1 <> 0
            ORDER BY symbol_name.name LIMIT :most
        """.replace("within", within if letter else "")
        given = {"first": letter, "after": chr(ord(letter) + 1)} if letter else {}
        return [str(row["name"]) for row in self._fetch(sql, most=most, **given)]

    def shape(self, file_id: int) -> bytes:
        """What a file defines and imports, packed."""
        row = self._transaction.fetch_one("SELECT shape FROM symbol_file WHERE id = :id", {"id": file_id})
        return bytes(row["shape"]) if row else b""

    def uses(self, file_id: int) -> bytes:
        """The names that a file uses, packed."""
        row = self._transaction.fetch_one("SELECT uses FROM symbol_file WHERE id = :id", {"id": file_id})
        return bytes(row["uses"]) if row else b""

    def state(self) -> tuple[str, str]:
        """What imports are resolved in, and the manifests among it, as JSON."""
        rows = self._fetch("SELECT surroundings, manifests FROM symbol_state WHERE namespace = :namespace")
        return (str(rows[0]["surroundings"]), str(rows[0]["manifests"])) if rows else ("", "[]")

    def keep_state(self, surroundings: str, manifests: str) -> None:
        """Note what imports are resolved in."""
        self._transaction.execute(
            """
            INSERT INTO symbol_state (namespace, surroundings, manifests) VALUES (:namespace, :surroundings, :manifests)
            ON CONFLICT (namespace) DO UPDATE SET surroundings = excluded.surroundings, manifests = excluded.manifests
            """,
            {"namespace": self._namespace, "surroundings": surroundings, "manifests": manifests},
        )

    def _names(self, path: str) -> dict[str, int]:
        """The names of a file as it is kept, with what it does with each; 0 where another version read it."""
        kept = self.file(path)
        if kept is None:
            return {}
        heads = [*unpack_shape(self.shape(kept.id))[0].heads()]
        names = collect_names(heads, unpack_uses(self.uses(kept.id)))
        return names if kept.hash.startswith(f"{VERSION} ") else dict.fromkeys(names, 0)

    def _keep_names(self, file_id: int, before: Mapping[str, int], now: Mapping[str, int]) -> None:
        gone = [{"name": name, "id": file_id} for name in before if name not in now]
        changed = [
            {"name": name, "id": file_id, "part": part} for name, part in now.items() if before.get(name) != part
        ]
        self._transaction.execute_many("DELETE FROM symbol_name WHERE name = :name AND file_id = :id", gone)
        self._transaction.execute_many(
            """
            INSERT INTO symbol_name (name, file_id, part) VALUES (:name, :id, :part)
            ON CONFLICT (name, file_id) DO UPDATE SET part = excluded.part
            """,
            changed,
        )


def _kept(row: Mapping[str, Any]) -> KeptFile:
    return make_kept_file(read_columns(row))


VERSION = "4"  # of how texts are read: what was made by another is made again
BATCH = 50
MOST_MANIFESTS = 5_000


def update_symbols(
    engine: SearchEngine, namespace: str, paths: Sequence[str], only: Iterable[str] | None = None
) -> int:
    """Read what is new in the index, and forget what is gone from it; how many files were read.

    `paths` are all files of the project; `only` some of them are looked at where no other has changed. It comes after
    the import graph, whose surroundings tell whether imports may lead elsewhere.
    """
    with engine.database.reading() as transaction:
        now = load_current_files(transaction, namespace, only)
        store = SymbolStore(transaction, namespace)
        before = store.hashes(only)
        state = store.state()
        surroundings = ImportStore(transaction, namespace).surroundings()
    symbols = Derived(engine, namespace, SymbolStore, partial(_read, engine, namespace), BATCH)
    read = symbols.update(before, now)
    if surroundings != state[0]:
        manifests = [path for path in paths if posixpath.basename(path) in MANIFESTS][:MOST_MANIFESTS]
        with engine.database.writing() as transaction:
            SymbolStore(transaction, namespace).keep_state(surroundings, json.dumps(manifests))
    return len(read)


def load_current_files(transaction: Transaction, namespace: str, only: Iterable[str] | None = None) -> dict[str, str]:
    """The files in the index whose symbols are read, or only some of them, with what tells their contents apart."""
    found = load_indexed_hashes(transaction, namespace, only)
    return {path: f"{VERSION} {digest}" for path, digest in found.items() if is_read(language_of(path))}


def _read(engine: SearchEngine, namespace: str, wanted: Mapping[str, str]) -> None:
    texts = load_indexed_texts(engine, namespace, wanted)
    read = [(path, read_file_facts(path, texts[path])) for path in wanted]
    with engine.database.writing() as transaction:
        for path, packed in read:
            SymbolStore(transaction, namespace).put(path, wanted[path], packed)


def keep_symbols(transaction: Transaction, namespace: str, path: str, digest: str, packed: PackedFacts) -> None:
    """Keep what was read of a file whose content has this hash."""
    SymbolStore(transaction, namespace).put(path, f"{VERSION} {digest}", packed)


def count_waiting(transaction: Transaction, namespace: str) -> tuple[int, int]:
    """How many files of code are read as they are in the index, or gone from both, and how many there are."""
    now = load_current_files(transaction, namespace)
    before = SymbolStore(transaction, namespace).hashes()
    every = now.keys() | before.keys()
    return sum(now.get(path) == before.get(path) for path in every), len(every)


def prepare_process() -> None:
    """Import and load what every file needs. For the process that parser processes are forks of."""
    from fieldguide.search.backlog import prepare_rows  # the model: no server needs it to start

    prepare_rows("", '[[[], "first"]]')
    parse_packed("import first\n", "python")


def read_file_facts(path: str, text: str) -> PackedFacts:
    """What a file says, packed; nothing of one that can't be read."""
    try:
        return read_packed(text, language_of(path) or "")
    except Exception:  # noqa: BLE001  such a file is given up by the pass over the code, and told there
        return pack(SymbolFacts())


CODE = "code"
APART = re.compile(r"::|->|[.#/\\:]")
MOST_CHUNKS = 300
MOST_LIKELY = 60
SECONDS = 2.5
RETRY_SECONDS = 0.05


def read_likely_files(engine: SearchEngine, namespace: str, name: str) -> int:
    """Read what the index has of a name, as far as it was not read yet; how many files that were.

    It takes no turn: what it writes is the same that the pass writes, which has the turn meanwhile.
    """
    until = monotonic() + SECONDS
    waiting = _waiting(engine, namespace, name)
    done = 0
    for path, digest in waiting.items():
        if monotonic() > until:
            break
        text = load_indexed_texts(engine, namespace, [path])[path]
        facts = read_file_facts(path, text)
        while not _is_kept(engine, namespace, path, digest, facts):
            if monotonic() > until:
                return done
            sleep(RETRY_SECONDS)
        done += 1
    return done


def _is_kept(engine: SearchEngine, namespace: str, path: str, digest: str, facts: PackedFacts) -> bool:
    """Keep what was read of a file; False while somebody else writes."""
    try:
        with engine.database.writing() as transaction:
            SymbolStore(transaction, namespace).put(path, digest, facts)
    except FieldguideError:
        return False
    return True


def _waiting(engine: SearchEngine, namespace: str, name: str) -> dict[str, str]:
    """The likely files that were not read as they are now, with the hashes of their contents."""
    scope = Scope(tuple(source.id for source in engine.sources(CODE)))
    if not scope.sources:
        return {}
    with engine.database.reading() as transaction:
        likely = _likely(engine, transaction, scope, name)
        now = load_current_files(transaction, namespace, likely)
        before = SymbolStore(transaction, namespace).hashes(likely)
    return {path: now[path] for path in find_changes(before, now).changed}


def _likely(engine: SearchEngine, transaction: Transaction, scope: Scope, name: str) -> list[str]:
    """The files that have a name among their words, the likeliest first."""
    terms = [term for part in dict.fromkeys((take_last_part(name), name)) for term in extract_query_terms(part)]
    chunks = engine.index.by_words(transaction, terms, scope, MOST_CHUNKS)
    numbers = [
        *dict.fromkeys(locate_chunk(chunk)[0] for chunk in sorted(chunks, key=lambda each: (-chunks[each], each)))
    ]
    documents = engine.store(transaction).numbered(numbers)
    paths = dict.fromkeys(documents[number].name for number in numbers if number in documents)
    return [path for path in paths if is_read(language_of(path))][:MOST_LIKELY]


def take_last_part(name: str) -> str:
    """The name itself, without what encloses it."""
    parts = [part for part in APART.split(name.removesuffix("()")) if part]
    return parts[-1] if parts else name
