CREATE TABLE discovery (
    id TEXT PRIMARY KEY,
    project TEXT NOT NULL,
    session_id TEXT,
    type TEXT NOT NULL CHECK (type IN ('pattern', 'rule', 'decision', 'issue')),
    content TEXT NOT NULL,
    module TEXT,
    evidence TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (project, fingerprint)
);

CREATE INDEX discovery_project ON discovery (project, created_at);

CREATE TABLE work_session (
    id TEXT PRIMARY KEY,
    project TEXT NOT NULL,
    connection TEXT NOT NULL,
    user_id TEXT,
    status TEXT NOT NULL CHECK (status IN ('active', 'completed', 'archived')),
    topics TEXT NOT NULL,
    tool_calls BIGINT NOT NULL,
    started_at TEXT NOT NULL,
    active_at TEXT NOT NULL,
    ended_at TEXT
);

CREATE INDEX work_session_project ON work_session (project, started_at);

CREATE UNIQUE INDEX work_session_running ON work_session (project, connection) WHERE status = 'active';

CREATE TABLE work_session_file (
    session_id TEXT NOT NULL REFERENCES work_session (id),
    path TEXT NOT NULL,
    access_count BIGINT NOT NULL,
    first_accessed_at TEXT NOT NULL,
    last_accessed_at TEXT NOT NULL,
    PRIMARY KEY (session_id, path)
);

CREATE TABLE context_item (
    project TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('file', 'module', 'discovery', 'session')),
    name TEXT NOT NULL,
    score DOUBLE PRECISION NOT NULL,
    recency_factor DOUBLE PRECISION NOT NULL,
    access_factor DOUBLE PRECISION NOT NULL,
    access_count BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'archived')),
    last_accessed_at TEXT NOT NULL,
    PRIMARY KEY (project, type, name)
);
