CREATE TABLE bookmark (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL,
    user_id TEXT NOT NULL,
    path TEXT NOT NULL,
    UNIQUE (project, user_id, path)
);
