-- A line that only explains; it ends like a statement;
CREATE TABLE note (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL,
    written_at TEXT NOT NULL
);
