-- What parser processes returned for a content, by the hash of what they were asked: a content that comes back, as with a
-- branch that is checked out again, is not parsed a second time. `stamp` is when it was used last.
CREATE TABLE parsed_part (
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    stamp TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (namespace, name)
);
