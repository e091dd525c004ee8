ALTER TABLE discovery ADD COLUMN review TEXT NOT NULL DEFAULT 'open';

ALTER TABLE discovery ADD COLUMN reviewed_at TEXT NOT NULL DEFAULT '';

ALTER TABLE discovery ADD COLUMN reviewed_by TEXT NOT NULL DEFAULT '';

ALTER TABLE discovery ADD COLUMN reviewed_stale TEXT NOT NULL DEFAULT '';

CREATE INDEX discovery_review ON discovery (project, review, created_at);
