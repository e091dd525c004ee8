-- Which project of a service a task belongs to; nothing for those of people who share a database without one.
ALTER TABLE task ADD COLUMN namespace TEXT NOT NULL DEFAULT '';

ALTER TABLE task ENABLE ROW LEVEL SECURITY;

CREATE POLICY wall ON task USING (
    namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), '')
    AND user_id = NULLIF(current_setting('fieldguide.user', TRUE), '')
);
