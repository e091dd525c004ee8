CREATE TABLE task (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    completed BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE INDEX task_by_user_and_completed ON task (user_id, completed);

CREATE INDEX task_by_user_newest_first ON task (user_id, created_at DESC, id DESC);
