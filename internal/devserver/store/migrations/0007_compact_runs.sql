-- Runs name their project by its number, which stands in their indexes. From here on, bodies may be compressed: those of earlier
-- versions stay as they are until something more is said of their runs.

ALTER TABLE runs RENAME TO old_runs;
ALTER TABLE run_bodies RENAME TO old_run_bodies;
ALTER TABLE run_labels RENAME TO old_run_labels;

CREATE TABLE runs (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id      TEXT    NOT NULL,
    id                TEXT    NOT NULL,
    project           INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    trace_id          TEXT    NOT NULL,
    parent_run_id     TEXT,
    dotted_order      TEXT, -- Null while the parent that it begins with is not known.
    name              TEXT    NOT NULL,
    run_type          TEXT    NOT NULL,
    status            TEXT    NOT NULL,
    is_root           INTEGER NOT NULL,
    start_time        INTEGER NOT NULL,
    end_time          INTEGER,
    first_token_time  INTEGER,
    error             TEXT,
    thread_id         TEXT,
    prompt_tokens     INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    total_tokens      INTEGER NOT NULL,
    prompt_cost       TEXT, -- US dollars, as exact decimals.
    completion_cost   TEXT,
    total_cost        TEXT,
    figures           TEXT    NOT NULL, -- A JSON object: details of tokens and costs, and what went wrong with them.
    price_id          TEXT, -- The price that the costs were made with.
    received_at       INTEGER NOT NULL,
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

INSERT INTO runs
SELECT r.seq, r.workspace_id, r.id, p.seq, r.trace_id, r.parent_run_id, r.dotted_order, r.name, r.run_type, r.status, r.is_root,
    r.start_time, r.end_time, r.first_token_time, r.error, r.thread_id, r.prompt_tokens, r.completion_tokens, r.total_tokens,
    r.prompt_cost, r.completion_cost, r.total_cost, r.figures, r.price_id, r.received_at
FROM old_runs r JOIN projects p ON p.id = r.project_id ORDER BY r.seq;
INSERT INTO run_bodies SELECT run, post, patch FROM old_run_bodies ORDER BY run;
INSERT INTO run_labels SELECT run, kind, key, value FROM old_run_labels ORDER BY run, kind, key, value;

DROP TABLE old_run_labels;
DROP TABLE old_run_bodies;
DROP TABLE old_runs;

CREATE INDEX run_labels_by_value ON run_labels (kind, key, value, run);

CREATE INDEX runs_by_place ON runs (project, is_root, start_time, seq);
CREATE INDEX runs_by_time ON runs (project, start_time, seq);
CREATE INDEX runs_of_workspace ON runs (workspace_id, start_time, seq);
CREATE INDEX runs_by_type ON runs (project, run_type, start_time);
CREATE INDEX runs_of_trace ON runs (trace_id, dotted_order);
CREATE INDEX runs_of_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_of_thread ON runs (project, thread_id, start_time) WHERE thread_id IS NOT NULL;
CREATE INDEX runs_failed ON runs (project, start_time) WHERE error IS NOT NULL;
