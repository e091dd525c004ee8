CREATE TABLE counter (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL CHECK (value >= 0),
    motto TEXT NOT NULL DEFAULT '100% of what :you count; not more'
);

INSERT INTO counter (name, value) VALUES ('calls', 0);
