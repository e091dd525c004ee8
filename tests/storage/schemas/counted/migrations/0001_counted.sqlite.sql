-- A word; and another.
CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT 'a; b');

CREATE TABLE tally (entries INTEGER NOT NULL);

INSERT INTO tally SELECT COUNT(*) - 300000 FROM (
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT i FROM n
);

CREATE TRIGGER counting AFTER INSERT ON entry
BEGIN
    UPDATE tally SET entries = entries + 1;
    UPDATE entry SET text = text || '!' WHERE id = new.id;
END;
