-- What git tells of a project, as of one commit: one row a project, since it is always read whole.
CREATE TABLE project_history (
    namespace TEXT PRIMARY KEY,
    head TEXT NOT NULL,
    changes TEXT NOT NULL
);
