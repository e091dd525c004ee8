-- Who changed what, where, when, and how it ended.
CREATE TABLE audit_entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    project TEXT NOT NULL,
    username TEXT NOT NULL,
    action TEXT NOT NULL,
    name TEXT NOT NULL,
    outcome TEXT NOT NULL,
    request TEXT NOT NULL,
    connection TEXT NOT NULL,
    arguments TEXT NOT NULL,
    milliseconds INTEGER NOT NULL
);

CREATE INDEX audit_entry_at ON audit_entry (at, id);
