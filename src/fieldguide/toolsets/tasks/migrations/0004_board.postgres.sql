-- What a person sets on the board: whether work on a task has begun, how urgent it is (0 to 3), and a word to group it by.
ALTER TABLE task ADD COLUMN started BOOLEAN NOT NULL DEFAULT FALSE;

ALTER TABLE task ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;

ALTER TABLE task ADD COLUMN label TEXT NOT NULL DEFAULT '';
