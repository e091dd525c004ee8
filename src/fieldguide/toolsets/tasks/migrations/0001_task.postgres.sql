-- The namespace is that of a project of a service; nothing for the tasks of people who share a database without one.
CREATE TABLE task (
    id BIGINT NOT NULL,
    user_id TEXT NOT NULL,
    title VARCHAR(200) NOT NULL,
    description TEXT,
    completed BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    namespace TEXT NOT NULL,
    -- What a person sets on the board: whether work has begun, how urgent it is (0 to 3), and a word to group it by.
    started BOOLEAN NOT NULL DEFAULT FALSE,
    priority INTEGER NOT NULL DEFAULT 0,
    label TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (namespace, user_id, id)
);

CREATE INDEX task_by_user_and_completed ON task (user_id, completed);

CREATE INDEX task_by_user_newest_first ON task (user_id, created_at DESC, id DESC);

-- Every user of a project counts their own tasks: a number that all projects share would tell one how busy another is.
-- No number comes again, not even that of a task which was deleted.
CREATE TABLE task_counter (
    namespace TEXT NOT NULL,
    user_id TEXT NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (namespace, user_id)
);

CREATE FUNCTION task_number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO task_counter AS counter (namespace, user_id, last) VALUES (NEW.namespace, NEW.user_id, 1)
    ON CONFLICT (namespace, user_id) DO UPDATE SET last = counter.last + 1
    RETURNING last INTO NEW.id;
    RETURN NEW;
END
$$;

CREATE TRIGGER task_counted BEFORE INSERT ON task FOR EACH ROW EXECUTE FUNCTION task_number();

ALTER TABLE task ENABLE ROW LEVEL SECURITY;

CREATE POLICY wall ON task USING (
    namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), '')
    AND user_id = NULLIF(current_setting('fieldguide.user', TRUE), '')
);

ALTER TABLE task_counter ENABLE ROW LEVEL SECURITY;

CREATE POLICY wall ON task_counter USING (
    namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), '')
    AND user_id = NULLIF(current_setting('fieldguide.user', TRUE), '')
);
