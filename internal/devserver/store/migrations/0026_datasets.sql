-- What agents are tested with: inputs, and the outputs that are expected.

CREATE TABLE datasets (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    description  TEXT,
    data_type    TEXT    NOT NULL,
    settings     TEXT    NOT NULL, -- A JSON object: metadata and schemas.
    created_at   INTEGER NOT NULL,
    modified_at  INTEGER NOT NULL, -- Also changes with the examples.
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, name)
) STRICT;

CREATE TABLE examples (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id  TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    dataset       INTEGER NOT NULL REFERENCES datasets (seq) ON DELETE CASCADE,
    inputs        TEXT    NOT NULL, -- JSON objects.
    outputs       TEXT,
    metadata      TEXT    NOT NULL,
    source_run_id TEXT,
    created_at    INTEGER NOT NULL,
    modified_at   INTEGER NOT NULL,
    UNIQUE (workspace_id, id)
) STRICT;

CREATE INDEX examples_of_dataset ON examples (dataset, modified_at, seq);

-- The experiments of a dataset are projects.
CREATE INDEX projects_of_dataset ON projects (reference_dataset_id, start_time) WHERE reference_dataset_id IS NOT NULL;
