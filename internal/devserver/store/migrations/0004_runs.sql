-- Runs of the tracing service. The bodies lie apart, so that reading many runs for their figures reads little.

ALTER TABLE projects ADD COLUMN end_time INTEGER;
ALTER TABLE projects ADD COLUMN description TEXT;
ALTER TABLE projects ADD COLUMN extra TEXT; -- A JSON object.
ALTER TABLE projects ADD COLUMN reference_dataset_id TEXT;

CREATE TABLE runs (
    seq              INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id     TEXT    NOT NULL,
    id               TEXT    NOT NULL,
    project_id       TEXT    NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    trace_id         TEXT    NOT NULL,
    parent_run_id    TEXT,
    dotted_order     TEXT, -- Null while the parent that it begins with is not known.
    name             TEXT    NOT NULL,
    run_type         TEXT    NOT NULL,
    status           TEXT    NOT NULL,
    is_root          INTEGER NOT NULL,
    start_time       INTEGER NOT NULL,
    end_time         INTEGER,
    first_token_time INTEGER,
    error            TEXT,
    thread_id        TEXT,
    prompt_tokens     INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    total_tokens      INTEGER NOT NULL,
    prompt_cost       TEXT, -- US dollars, as exact decimals.
    completion_cost   TEXT,
    total_cost        TEXT,
    figures          TEXT    NOT NULL, -- A JSON object: details of tokens and costs, and what went wrong with them.
    price_id         TEXT, -- The price that the costs were made with.
    received_at      INTEGER NOT NULL,
    UNIQUE (workspace_id, id)
) STRICT;

-- What the posts and the patches of a run said, each laid over the one before.
CREATE TABLE run_bodies (
    run   INTEGER PRIMARY KEY REFERENCES runs (seq) ON DELETE CASCADE,
    post  BLOB NOT NULL,
    patch BLOB NOT NULL
) STRICT;

-- Tags (kind 0, key empty) and metadata (kind 1).
CREATE TABLE run_labels (
    run   INTEGER NOT NULL REFERENCES runs (seq) ON DELETE CASCADE,
    kind  INTEGER NOT NULL,
    key   TEXT    NOT NULL,
    value TEXT    NOT NULL,
    PRIMARY KEY (run, kind, key, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_labels_by_value ON run_labels (kind, key, value, run);

CREATE INDEX runs_by_place ON runs (project_id, is_root, start_time, seq);
CREATE INDEX runs_by_time ON runs (project_id, start_time, seq);
CREATE INDEX runs_of_workspace ON runs (workspace_id, start_time, seq);
CREATE INDEX runs_by_type ON runs (project_id, run_type, start_time);
CREATE INDEX runs_of_trace ON runs (trace_id, dotted_order);
CREATE INDEX runs_of_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_of_thread ON runs (project_id, thread_id, start_time) WHERE thread_id IS NOT NULL;
CREATE INDEX runs_failed ON runs (project_id, start_time) WHERE error IS NOT NULL;

-- An attachment without a run is one whose request has not been answered yet, or never was.
CREATE TABLE attachments (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    workspace_id TEXT    NOT NULL,
    run_id       TEXT,
    name         TEXT    NOT NULL,
    mime_type    TEXT    NOT NULL,
    size         INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    UNIQUE (workspace_id, run_id, name)
) STRICT;

CREATE TABLE attachment_pieces (
    attachment INTEGER NOT NULL REFERENCES attachments (seq) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    content    BLOB    NOT NULL,
    PRIMARY KEY (attachment, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE model_prices (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    workspace_id TEXT    NOT NULL,
    entry        TEXT    NOT NULL, -- A JSON object.
    identity     TEXT    NOT NULL, -- What no two entries of a workspace have in common.
    created_at   INTEGER NOT NULL,
    UNIQUE (workspace_id, identity)
) STRICT;
