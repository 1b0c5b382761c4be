-- With a lag, snapshots of the control plane's rows, as in PostgreSQL.

CREATE TABLE replicated (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    stored_at INTEGER NOT NULL, -- Zero.
    at        INTEGER NOT NULL, -- When the rows were stored; zero if they are to be shown at once.
    statement TEXT    NOT NULL, -- Empty.
    arguments BLOB    NOT NULL -- The rows.
) STRICT;
