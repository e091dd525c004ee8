-- Which project each row belongs to, and the policies that keep the rows of others out.
--
-- The owner of the tables is not held back by a policy. A project of a service works as a role that owns nothing, in
-- transactions that say for which project (`fieldguide.namespace`) and for whom (`fieldguide.user`, nothing for what
-- the service does by itself). See `storage/walls.py`.

ALTER TABLE search_source ADD COLUMN namespace TEXT COLLATE "C"
    GENERATED ALWAYS AS (COALESCE(substring(kind FROM '^.*\|'), '')) STORED;

-- Writers wait: a project has a few sources.
CREATE INDEX search_source_namespace ON search_source (namespace);

-- Servers of the version before do not name the project of a chunk; those that are there get theirs by `0010_fill`.
ALTER TABLE search_chunk ADD COLUMN namespace TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE FUNCTION search_chunk_project() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NEW.namespace := COALESCE((SELECT namespace FROM search_source WHERE id = NEW.source_id), '');
    RETURN NEW;
END
$$;

CREATE TRIGGER search_chunk_project BEFORE INSERT ON search_chunk
    FOR EACH ROW WHEN (NEW.namespace = '') EXECUTE FUNCTION search_chunk_project();

-- What a function that reads past the policies must ask first (`SECURITY DEFINER`, `SET search_path FROM CURRENT`; the
-- path is fixed while migrations run). It gives back those of the sources that this transaction may see: in that of a
-- tenant the ones of its project and its user; else the owner itself asks, and all that are of the project are seen.
CREATE FUNCTION search_permitted(project TEXT, sources BIGINT[]) RETURNS BIGINT[]
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
    is_owner BOOLEAN := current_setting('role') = 'none' AND pg_has_role(session_user, current_user, 'USAGE');
    acting TEXT := COALESCE(current_setting('fieldguide.user', TRUE), '');
BEGIN
    IF NOT is_owner AND project IS DISTINCT FROM NULLIF(current_setting('fieldguide.namespace', TRUE), '') THEN
        RAISE insufficient_privilege USING MESSAGE = 'not a project of this transaction';
    END IF;
    RETURN ARRAY(
        SELECT source.id FROM search_source AS source
        WHERE source.id = ANY(sources) AND source.namespace = project
            AND (is_owner OR acting = '' OR source.kind <> project || 'sessions' OR source.name = 'ended' || CHR(10) || acting)
        ORDER BY source.id
    );
END
$$;

ALTER TABLE search_source ENABLE ROW LEVEL SECURITY;
ALTER TABLE search_document ENABLE ROW LEVEL SECURITY;
ALTER TABLE search_text ENABLE ROW LEVEL SECURITY;
ALTER TABLE search_chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE project_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_file ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_edge ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE symbol_file ENABLE ROW LEVEL SECURITY;
ALTER TABLE symbol_name ENABLE ROW LEVEL SECURITY;
ALTER TABLE symbol_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE tied_document ENABLE ROW LEVEL SECURITY;
ALTER TABLE tied_note ENABLE ROW LEVEL SECURITY;
ALTER TABLE drift_part ENABLE ROW LEVEL SECURITY;
ALTER TABLE trace_file ENABLE ROW LEVEL SECURITY;
ALTER TABLE trace_mark ENABLE ROW LEVEL SECURITY;

-- The sessions of a project are put under a source for each user: `ended`, a line break, and the user.
CREATE POLICY wall ON search_source USING (
    namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), '')
    AND (
        COALESCE(current_setting('fieldguide.user', TRUE), '') = ''
        OR kind <> namespace || 'sessions'
        OR name = 'ended' || CHR(10) || current_setting('fieldguide.user', TRUE)
    )
);

-- What hangs on a source is seen with it: a policy asks as whoever asks, so `search_source` shows its own rows alone.
CREATE POLICY wall ON search_document USING (
    id >> 24 = source_id AND source_id IN (SELECT source.id FROM search_source AS source)
);

CREATE POLICY wall ON search_text USING (document_id >> 24 IN (SELECT source.id FROM search_source AS source));

CREATE POLICY wall ON search_chunk USING (
    namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), '')
    AND id >> 44 = source_id AND document_id = id >> 20
    AND source_id IN (SELECT source.id FROM search_source AS source)
);

CREATE POLICY wall ON project_history USING (namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
CREATE POLICY wall ON import_file USING (namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
CREATE POLICY wall ON import_edge USING (namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
CREATE POLICY wall ON import_state USING (namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
CREATE POLICY wall ON symbol_file USING (namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
CREATE POLICY wall ON symbol_name USING (EXISTS (SELECT 1 FROM symbol_file AS file WHERE file.id = file_id));
CREATE POLICY wall ON symbol_state USING (namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
CREATE POLICY wall ON tied_document USING (namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
CREATE POLICY wall ON tied_note USING (namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
CREATE POLICY wall ON drift_part USING (namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
CREATE POLICY wall ON trace_file USING (namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
CREATE POLICY wall ON trace_mark USING (namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
