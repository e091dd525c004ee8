-- The namespace is that of a project of a service; nothing for the tasks of a person who works alone.
CREATE TABLE task (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    completed BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    namespace TEXT NOT NULL,
    -- What a person sets on the board: whether work has begun, how urgent it is (0 to 3), and a word to group it by.
    started BOOLEAN NOT NULL DEFAULT FALSE,
    priority INTEGER NOT NULL DEFAULT 0,
    label TEXT NOT NULL DEFAULT ''
);

CREATE INDEX task_by_user_and_completed ON task (user_id, completed);

CREATE INDEX task_by_user_newest_first ON task (user_id, created_at DESC, id DESC);
