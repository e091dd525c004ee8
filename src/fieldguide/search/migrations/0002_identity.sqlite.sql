-- Which index this is. One that was deleted and made again may have the same revision as the one before.
CREATE TABLE search_identity (
    identity TEXT NOT NULL
);

INSERT INTO search_identity (identity) VALUES (lower(hex(randomblob(16))));
