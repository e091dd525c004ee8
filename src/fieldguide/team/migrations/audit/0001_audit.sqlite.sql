-- Who did what, where, when, and how it ended. Each process that writes has a chain of its own: its rows are numbered
-- without gaps, and the hash of each holds that of the one before it.
CREATE TABLE audit_entry (
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

CREATE INDEX audit_entry_at ON audit_entry (at, writer, number);

-- Where a chain begins after its older rows were pruned.
CREATE TABLE audit_anchor (
    writer TEXT NOT NULL,
    number INTEGER NOT NULL,
    hash TEXT NOT NULL,
    pruned_at TEXT NOT NULL,
    PRIMARY KEY (writer, number)
);

-- It holds a row for as long as the transaction of a prune lasts.
CREATE TABLE audit_pruning (allowed INTEGER NOT NULL);

CREATE TRIGGER audit_entry_fixed BEFORE UPDATE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END;
CREATE TRIGGER audit_entry_kept BEFORE DELETE ON audit_entry WHEN NOT EXISTS (SELECT 1 FROM audit_pruning)
BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END;
CREATE TRIGGER audit_anchor_fixed BEFORE UPDATE ON audit_anchor
BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END;
CREATE TRIGGER audit_anchor_kept BEFORE DELETE ON audit_anchor
BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END;
