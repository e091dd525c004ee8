CREATE TABLE search_source (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    details TEXT NOT NULL,
    synced_at TEXT,
    UNIQUE (kind, name)
);

-- The number of a document begins with that of its source (times 2^24), so that a number alone tells the source.
CREATE TABLE search_document (
    id INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES search_source (id),
    name TEXT NOT NULL,
    title TEXT NOT NULL,
    outline TEXT NOT NULL,
    size INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    hash TEXT NOT NULL,
    stamp TEXT NOT NULL,
    maker TEXT NOT NULL,
    UNIQUE (source_id, name)
);

CREATE TABLE search_text (
    document_id INTEGER PRIMARY KEY REFERENCES search_document (id) ON DELETE CASCADE,
    text TEXT NOT NULL
);

-- One row a document, its chunks' vectors one after the other: a start reads a few thousand rows, not a million.
-- A row without vectors stands for a document that is gone, until the next reader has seen it.
CREATE TABLE search_vectors (
    document_id INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    maker TEXT NOT NULL,
    vectors BLOB NOT NULL
);

CREATE INDEX search_vectors_revision ON search_vectors (revision);

-- The number of a chunk is its document's number times 2^20 plus its position.
CREATE VIRTUAL TABLE search_chunk USING fts5 (
    title, headings, body, hidden, start_line UNINDEXED, end_line UNINDEXED,
    tokenize = 'porter unicode61'
);
