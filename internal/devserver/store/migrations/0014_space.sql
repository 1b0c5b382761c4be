-- Projects whose deletion has begun. Their runs are in no answer, and are deleted a few at a time.

CREATE TABLE deleted_projects (
    project INTEGER PRIMARY KEY REFERENCES projects (seq) ON DELETE CASCADE
) STRICT;

-- What clients say about how long the traces of a project are kept.
ALTER TABLE projects ADD COLUMN trace_tier TEXT; -- shortlived or longlived.
ALTER TABLE projects ADD COLUMN longlived_ttl_days INTEGER;

-- What the runs of a project take, in bytes: their rows, their bodies, and their labels. The attachments of a workspace have the project 0.
CREATE TABLE space (
    workspace_id TEXT    NOT NULL,
    project      INTEGER NOT NULL,
    runs         INTEGER NOT NULL,
    row_bytes    INTEGER NOT NULL,
    body_bytes   INTEGER NOT NULL,
    label_bytes  INTEGER NOT NULL,
    attachments  INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, project)
) STRICT, WITHOUT ROWID;

-- What each run takes of it. Null: the run has not been counted.
ALTER TABLE runs ADD COLUMN row_bytes INTEGER;
ALTER TABLE runs ADD COLUMN body_bytes INTEGER;
ALTER TABLE runs ADD COLUMN label_bytes INTEGER;

ALTER TABLE attachments ADD COLUMN stored INTEGER NOT NULL DEFAULT 0; -- Bytes, once it belongs to a run.
UPDATE attachments SET stored = size + 400 WHERE run_id IS NOT NULL;
INSERT INTO space SELECT workspace_id, 0, 0, 0, 0, 0, sum(stored) FROM attachments WHERE run_id IS NOT NULL GROUP BY workspace_id;

-- Whether a piece is compressed, like bodies. Its first byte doesn't say it, because any byte can be the first of a file.
ALTER TABLE attachment_pieces ADD COLUMN packed INTEGER NOT NULL DEFAULT 0;

-- The runs of before are counted later, a few at a time, from the last one on.
CREATE TABLE uncounted (
    last INTEGER NOT NULL
) STRICT;

INSERT INTO uncounted SELECT max(seq) FROM runs HAVING max(seq) IS NOT NULL;
