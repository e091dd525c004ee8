INSERT INTO made_first (id) VALUES (1);

INSERT INTO no_such_table (id) VALUES (1);
