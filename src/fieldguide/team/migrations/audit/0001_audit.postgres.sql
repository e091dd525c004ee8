-- Who did what, where, when, and how it ended. Each process that writes has a chain of its own: its rows are numbered
-- without gaps, and the hash of each holds that of the one before it.
CREATE TABLE audit_entry (
    writer TEXT NOT NULL,
    number BIGINT NOT NULL,
    at TEXT NOT NULL,
    project TEXT NOT NULL,
    username TEXT NOT NULL,
    action TEXT NOT NULL,
    name TEXT NOT NULL,
    effect TEXT NOT NULL,
    outcome TEXT NOT NULL,
    request TEXT NOT NULL,
    connection TEXT NOT NULL,
    arguments TEXT NOT NULL,
    milliseconds BIGINT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (writer, number)
);

CREATE INDEX audit_entry_at ON audit_entry (at, writer, number);

-- Where a chain begins after its older rows were pruned.
CREATE TABLE audit_anchor (
    writer TEXT NOT NULL,
    number BIGINT NOT NULL,
    hash TEXT NOT NULL,
    pruned_at TEXT NOT NULL,
    PRIMARY KEY (writer, number)
);

CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'audit_entry'
        AND current_setting('fieldguide.audit_prune', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'The audit log is append-only.';
END
$$;

CREATE TRIGGER audit_entry_fixed BEFORE UPDATE OR DELETE ON audit_entry
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_entry_kept BEFORE TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_anchor_fixed BEFORE UPDATE OR DELETE ON audit_anchor
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_anchor_kept BEFORE TRUNCATE ON audit_anchor
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

-- Only the owner, as whom the service connects: a project's own role sees and writes nothing here.
REVOKE ALL ON audit_entry, audit_anchor FROM PUBLIC;
ALTER TABLE audit_entry ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_anchor ENABLE ROW LEVEL SECURITY;
