-- One key, made by the first server that needs it, and read by all. No project of a service may read it.
CREATE TABLE page_key (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    secret TEXT NOT NULL
);
