-- What a check of documents keeps from one time to the next: the words of each file of code (part `words`), what each
-- document names (`mentions`), what commits took away (`removed`), and what documents name that is gone (`found`).
CREATE TABLE drift_part (
    namespace TEXT NOT NULL,
    part TEXT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    stamp TEXT NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (namespace, part, name)
);
