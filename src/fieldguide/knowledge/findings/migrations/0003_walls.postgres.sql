-- The policies that keep the rows of other projects out, and other users' sessions.
ALTER TABLE discovery ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_session ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_session_file ENABLE ROW LEVEL SECURITY;
ALTER TABLE context_item ENABLE ROW LEVEL SECURITY;
ALTER TABLE context_total ENABLE ROW LEVEL SECURITY;

CREATE POLICY wall ON discovery USING (project = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));

-- What the service does by itself for a project (indexing, ending idle sessions) it does for all of its users.
CREATE POLICY wall ON work_session USING (
    project = NULLIF(current_setting('fieldguide.namespace', TRUE), '')
    AND (
        COALESCE(current_setting('fieldguide.user', TRUE), '') = ''
        OR user_id = current_setting('fieldguide.user', TRUE)
    )
);

CREATE POLICY wall ON work_session_file USING (
    EXISTS (SELECT 1 FROM work_session AS session WHERE session.id = session_id)
);

CREATE POLICY wall ON context_item USING (project = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
CREATE POLICY wall ON context_total USING (project = NULLIF(current_setting('fieldguide.namespace', TRUE), ''));
