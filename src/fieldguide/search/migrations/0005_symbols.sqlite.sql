-- What each code file defines (`shape`) and which names it uses where (`uses`), packed, and the hash of the content that
-- was read for it.
CREATE TABLE symbol_file (
    id INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    path TEXT NOT NULL,
    hash TEXT NOT NULL,
    shape BLOB NOT NULL,
    uses BLOB NOT NULL,
    UNIQUE (namespace, path)
);

-- The files that have a name: 1 defines it, 2 uses it, 3 does both.
CREATE TABLE symbol_name (
    name TEXT NOT NULL,
    file_id INTEGER NOT NULL,
    part INTEGER NOT NULL,
    PRIMARY KEY (name, file_id)
) WITHOUT ROWID;

-- What imports were resolved among beside the code: the paths of manifests, as JSON.
CREATE TABLE symbol_state (
    namespace TEXT PRIMARY KEY,
    surroundings TEXT NOT NULL,
    manifests TEXT NOT NULL
);
