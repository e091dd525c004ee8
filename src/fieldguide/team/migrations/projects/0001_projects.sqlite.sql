-- One row: every change of the registry adds one, so that whoever keeps a picture of it knows when it is old.
-- `service` tells this registry from any other: a server keeps its copies below it.
CREATE TABLE registry_revision (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    revision INTEGER NOT NULL,
    service TEXT NOT NULL
);

INSERT INTO registry_revision (one, revision, service) VALUES (1, 1, lower(hex(randomblob(16))));

-- `id` is random and never comes again: what a project keeps is kept under it, not under its name.
CREATE TABLE hosted_project (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    folded_name TEXT NOT NULL UNIQUE,
    root TEXT,
    address TEXT,
    branch TEXT,
    times_told INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    CHECK ((root IS NULL) <> (address IS NULL))
);

CREATE TABLE project_grant (
    project_id TEXT NOT NULL REFERENCES hosted_project (id) ON DELETE CASCADE,
    principal TEXT NOT NULL,
    toolset TEXT NOT NULL,
    may_write INTEGER NOT NULL CHECK (may_write IN (0, 1)),
    granted_at TEXT NOT NULL,
    PRIMARY KEY (project_id, principal, toolset)
);
