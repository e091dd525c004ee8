CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE search_source (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    details TEXT NOT NULL,
    synced_at TIMESTAMPTZ,
    UNIQUE (kind, name)
);

-- The number of a document begins with that of its source (times 2^24), so that a number alone tells the source.
CREATE TABLE search_document (
    id BIGINT PRIMARY KEY,
    source_id BIGINT NOT NULL REFERENCES search_source (id),
    name TEXT COLLATE "C" NOT NULL,
    title TEXT NOT NULL,
    outline TEXT NOT NULL,
    size BIGINT NOT NULL,
    chunks BIGINT NOT NULL,
    hash TEXT NOT NULL,
    stamp TEXT NOT NULL,
    maker TEXT NOT NULL,
    UNIQUE (source_id, name)
);

CREATE TABLE search_text (
    document_id BIGINT PRIMARY KEY REFERENCES search_document (id) ON DELETE CASCADE,
    text TEXT NOT NULL
);

-- The number of a chunk is its document's number times 2^20 plus its position. A vector without direction is NULL.
CREATE TABLE search_chunk (
    id BIGINT PRIMARY KEY,
    source_id BIGINT NOT NULL,
    document_id BIGINT NOT NULL,
    maker TEXT NOT NULL,
    headings TEXT NOT NULL,
    body TEXT NOT NULL,
    start_line BIGINT NOT NULL,
    end_line BIGINT NOT NULL,
    words TSVECTOR NOT NULL,
    vector VECTOR
);

CREATE INDEX search_chunk_words ON search_chunk USING gin (words);

CREATE INDEX search_chunk_source ON search_chunk (source_id);

CREATE INDEX search_chunk_document ON search_chunk (document_id);
