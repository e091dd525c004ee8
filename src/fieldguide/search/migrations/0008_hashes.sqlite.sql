-- The hashes of the lines of a document's chunks, for citations, one after the other.
ALTER TABLE search_document ADD COLUMN hashes TEXT NOT NULL DEFAULT '';
