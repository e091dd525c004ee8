-- The hashes of the lines of a document's chunks, for citations: after the hash of the content that they are of.
ALTER TABLE search_document ADD COLUMN hashes TEXT NOT NULL DEFAULT '';
