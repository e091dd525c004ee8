-- What each document cites of the code (`mentions`), whether it was written anew since (`stamp`), and what of it is
-- stale: both as JSON, nothing where all is fresh. A finding is a document too, by its address.
CREATE TABLE tied_document (
    namespace TEXT NOT NULL,
    document TEXT NOT NULL,
    stamp TEXT NOT NULL,
    mentions TEXT NOT NULL,
    stale TEXT NOT NULL,
    PRIMARY KEY (namespace, document)
);

-- How far each cited place was followed through the history, as JSON: it can be found out again.
CREATE TABLE tied_note (
    namespace TEXT NOT NULL,
    note TEXT NOT NULL,
    followed TEXT NOT NULL,
    PRIMARY KEY (namespace, note)
);
