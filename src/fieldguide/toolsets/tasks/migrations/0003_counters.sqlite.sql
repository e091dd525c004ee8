-- A backup of PostgreSQL, where every user of a project counts from one, must fit in: an id is unique for its user only.
-- Ids that are given out here still grow through the whole file.
CREATE TABLE task_counter (
    namespace TEXT NOT NULL,
    user_id TEXT NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (namespace, user_id)
);

INSERT INTO task_counter (namespace, user_id, last)
SELECT '', '', seq FROM sqlite_sequence WHERE name = 'task';

CREATE TABLE task_by_owner (
    id INTEGER NOT NULL,
    user_id TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    completed BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    namespace TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (namespace, user_id, id)
);

INSERT INTO task_by_owner (id, user_id, title, description, completed, created_at, updated_at, namespace)
SELECT id, user_id, title, description, completed, created_at, updated_at, namespace FROM task;

DROP TABLE task;

ALTER TABLE task_by_owner RENAME TO task;

CREATE INDEX task_by_user_and_completed ON task (user_id, completed);

CREATE INDEX task_by_user_newest_first ON task (user_id, created_at DESC, id DESC);

CREATE TRIGGER task_counted AFTER INSERT ON task
BEGIN
    INSERT INTO task_counter (namespace, user_id, last) VALUES (NEW.namespace, NEW.user_id, NEW.id)
    ON CONFLICT (namespace, user_id) DO UPDATE SET last = MAX(last, excluded.last);
END;
