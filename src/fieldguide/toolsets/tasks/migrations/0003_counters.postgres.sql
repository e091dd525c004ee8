-- Every user of a project counts their own tasks: a number that all projects share would tell one how busy another is.
CREATE TABLE task_counter (
    namespace TEXT NOT NULL,
    user_id TEXT NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (namespace, user_id)
);

ALTER TABLE task_counter ENABLE ROW LEVEL SECURITY;

CREATE POLICY wall ON task_counter USING (
    namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), '')
    AND user_id = NULLIF(current_setting('fieldguide.user', TRUE), '')
);

-- Nobody may add a task between the reading of the last number and the end of the shared count.
LOCK TABLE task IN SHARE ROW EXCLUSIVE MODE;

-- No number comes again, not even that of a task which was deleted: whoever has tasks goes on behind the last number of
-- all. The user without a name stands for everybody in the tables of no service.
INSERT INTO task_counter (namespace, user_id, last)
SELECT owner.namespace, owner.user_id, number.last_value
FROM pg_sequences AS number,
    (SELECT namespace, user_id FROM task UNION SELECT '', '') AS owner
WHERE format('%I.%I', number.schemaname, number.sequencename) = pg_get_serial_sequence('task', 'id')
    AND number.last_value IS NOT NULL;

-- It runs for servers of the version before too, which give no id, and gives their tasks a number of the same count.
CREATE FUNCTION task_number() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.id IS NULL THEN
        INSERT INTO task_counter AS counter (namespace, user_id, last)
        VALUES (NEW.namespace, NEW.user_id, 1 + COALESCE(
            (SELECT last FROM task_counter WHERE namespace = NEW.namespace AND user_id = ''), 0))
        ON CONFLICT (namespace, user_id) DO UPDATE SET last = counter.last + 1
        RETURNING last INTO NEW.id;
    ELSE
        INSERT INTO task_counter AS counter (namespace, user_id, last)
        VALUES (NEW.namespace, NEW.user_id, NEW.id)
        ON CONFLICT (namespace, user_id) DO UPDATE SET last = NEW.id WHERE counter.last < NEW.id;
    END IF;
    RETURN NEW;
END
$$;

ALTER TABLE task ALTER COLUMN id DROP IDENTITY;

CREATE TRIGGER task_counted BEFORE INSERT ON task FOR EACH ROW EXECUTE FUNCTION task_number();

-- Older servers do not need it: each of their statements names the user beside the id, and none relies on a conflict.
ALTER TABLE task DROP CONSTRAINT task_pkey;

ALTER TABLE task ADD PRIMARY KEY (namespace, user_id, id);
