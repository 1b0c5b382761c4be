-- Conversations that are shared, each with one token.

CREATE TABLE thread_shares (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    token     TEXT    NOT NULL UNIQUE,
    project   INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    thread_id TEXT    NOT NULL,
    UNIQUE (project, thread_id)
) STRICT;
