-- Audit rows that were committed with a change of this file, until they are moved to the audit log, a file of its own.
-- They are numbered and hashed already: the log takes them as they are, and those that it has a second time not again.
CREATE TABLE audit_pending (
    writer TEXT NOT NULL,
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    project TEXT NOT NULL,
    username TEXT NOT NULL,
    action TEXT NOT NULL,
    name TEXT NOT NULL,
    effect TEXT NOT NULL,
    outcome TEXT NOT NULL,
    request TEXT NOT NULL,
    connection TEXT NOT NULL,
    arguments TEXT NOT NULL,
    milliseconds INTEGER NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (writer, number)
);
