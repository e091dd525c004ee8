ALTER TABLE discovery ADD COLUMN indexed_as TEXT;

ALTER TABLE work_session ADD COLUMN indexed_as TEXT;

CREATE INDEX discovery_indexed ON discovery (project, indexed_as);

CREATE INDEX discovery_session ON discovery (session_id);

CREATE INDEX work_session_indexed ON work_session (project, indexed_as) WHERE status <> 'active';

CREATE INDEX work_session_completed ON work_session (project, ended_at) WHERE status = 'completed';

CREATE INDEX context_item_active ON context_item (project) WHERE status = 'active';

CREATE TABLE context_total (
    project TEXT PRIMARY KEY,
    active_tokens BIGINT NOT NULL,
    most_uses BIGINT NOT NULL
);

INSERT INTO context_total (project, active_tokens, most_uses)
SELECT project, SUM(CASE WHEN status = 'active' THEN tokens ELSE 0 END), MAX(access_count)
FROM context_item
GROUP BY project;
