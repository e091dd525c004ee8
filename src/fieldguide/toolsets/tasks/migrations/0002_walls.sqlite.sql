-- Which project of a service a task belongs to; nothing for those of a person who works alone.
ALTER TABLE task ADD COLUMN namespace TEXT NOT NULL DEFAULT '';
