-- What each code file defines (`shape`) and which names it uses where (`uses`), packed, and the hash of the content that
-- was read for it.
CREATE TABLE symbol_file (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace TEXT NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    hash TEXT NOT NULL,
    shape BYTEA NOT NULL,
    uses BYTEA NOT NULL,
    UNIQUE (namespace, path)
);

-- The files that have a name: 1 defines it, 2 uses it, 3 does both.
CREATE TABLE symbol_name (
    name TEXT COLLATE "C" NOT NULL,
    file_id BIGINT NOT NULL,
    part INTEGER NOT NULL,
    PRIMARY KEY (name, file_id)
);

-- What imports were resolved among beside the code: the paths of manifests, as JSON.
CREATE TABLE symbol_state (
    namespace TEXT PRIMARY KEY,
    surroundings TEXT NOT NULL,
    manifests TEXT NOT NULL
);
