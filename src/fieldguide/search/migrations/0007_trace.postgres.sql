-- What was read for the trace: a file under its path, a commit as `commit:<id>`; of a decision its title and status.
CREATE TABLE trace_file (
    namespace TEXT NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    base TEXT COLLATE "C" NOT NULL,
    stamp TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (namespace, path)
);

CREATE INDEX trace_file_decision ON trace_file (namespace, path) WHERE kind = 'decision';

CREATE INDEX trace_file_base ON trace_file (namespace, base, path);

-- The names in them that lead elsewhere: ids, the last parts of paths, symbols. `said` is what more the line tells.
CREATE TABLE trace_mark (
    namespace TEXT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    role TEXT NOT NULL,
    line INTEGER NOT NULL,
    family TEXT NOT NULL,
    said TEXT NOT NULL
);

CREATE INDEX trace_mark_name ON trace_mark (namespace, name, path, line);

CREATE INDEX trace_mark_path ON trace_mark (namespace, path, line);

CREATE INDEX trace_mark_family ON trace_mark (namespace, role, family, path) WHERE family <> '';
