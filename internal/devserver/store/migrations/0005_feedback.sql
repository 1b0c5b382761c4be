-- What people and programs say about runs and projects.

CREATE TABLE feedback (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    run_id       TEXT, -- Null for feedback on a project. The run may not have arrived.
    project_id   TEXT    REFERENCES projects (id) ON DELETE CASCADE, -- Of feedback on a project.
    key          TEXT    NOT NULL,
    score        REAL,
    value        TEXT, -- A text as it is, anything else as JSON.
    comment      TEXT,
    source       TEXT    NOT NULL,
    body         TEXT    NOT NULL, -- A JSON object: all that was said.
    created_at   INTEGER NOT NULL,
    modified_at  INTEGER NOT NULL,
    UNIQUE (workspace_id, id)
) STRICT;

CREATE INDEX feedback_of_run ON feedback (run_id, key);
CREATE INDEX feedback_of_project ON feedback (project_id) WHERE project_id IS NOT NULL;

CREATE TABLE feedback_configs (
    workspace_id TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    config       TEXT    NOT NULL, -- A JSON object.
    lower_better INTEGER,
    modified_at  INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, key)
) STRICT, WITHOUT ROWID;

-- Runs that anybody can read who has the token.
CREATE TABLE run_shares (
    token        TEXT    NOT NULL PRIMARY KEY,
    workspace_id TEXT    NOT NULL,
    run_id       TEXT    NOT NULL,
    UNIQUE (workspace_id, run_id)
) STRICT, WITHOUT ROWID;
