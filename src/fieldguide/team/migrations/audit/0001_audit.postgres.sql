-- Who changed what, where, when, and how it ended.
CREATE TABLE audit_entry (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at TEXT NOT NULL,
    project TEXT NOT NULL,
    username TEXT NOT NULL,
    action TEXT NOT NULL,
    name TEXT NOT NULL,
    outcome TEXT NOT NULL,
    request TEXT NOT NULL,
    connection TEXT NOT NULL,
    arguments TEXT NOT NULL,
    milliseconds BIGINT NOT NULL
);

CREATE INDEX audit_entry_at ON audit_entry (at, id);

-- Only the owner, as whom the service connects: a project's own role sees and writes nothing here.
REVOKE ALL ON audit_entry FROM PUBLIC;
ALTER TABLE audit_entry ENABLE ROW LEVEL SECURITY;
