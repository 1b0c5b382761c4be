-- Tokens with which anybody can give feedback on a run.

CREATE TABLE feedback_tokens (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    token        TEXT    NOT NULL UNIQUE,
    workspace_id TEXT    NOT NULL,
    run_id       TEXT    NOT NULL, -- The run may not have arrived.
    key          TEXT    NOT NULL,
    expires_at   INTEGER NOT NULL,
    uses         INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX feedback_tokens_of_run ON feedback_tokens (workspace_id, run_id);
CREATE INDEX feedback_tokens_by_end ON feedback_tokens (expires_at);
