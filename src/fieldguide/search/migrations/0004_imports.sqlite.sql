-- What each code file imports, as it is written there, and the hash of the content that was read for it.
CREATE TABLE import_file (
    namespace TEXT NOT NULL,
    path TEXT NOT NULL,
    hash TEXT NOT NULL,
    imports TEXT NOT NULL,
    PRIMARY KEY (namespace, path)
);

-- Where the imports lead: a file, or a folder with a slash at its end where a language imports whole folders.
-- How sure that is (`bond`): 0 it is imported, 1 it is the package around what is, 2 it is named in quotes by a test,
-- 3 a test imports from elsewhere what has the same name.
CREATE TABLE import_edge (
    namespace TEXT NOT NULL,
    imported TEXT NOT NULL,
    importer TEXT NOT NULL,
    line INTEGER NOT NULL,
    bond INTEGER NOT NULL,
    PRIMARY KEY (namespace, imported, importer)
);

CREATE INDEX import_edge_importer ON import_edge (namespace, importer);

-- What the resolution depended on beside the files' own content: their names, and what manifests say.
CREATE TABLE import_state (
    namespace TEXT PRIMARY KEY,
    surroundings TEXT NOT NULL
);
