-- Figures of the runs that started in a quarter of an hour, or on a day (UTC), of a project: what statistics read instead of runs.

CREATE TABLE rollups (
    project  INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    roots    INTEGER NOT NULL, -- Root runs only.
    run_type TEXT    NOT NULL, -- Runs of this type only; empty for all.
    days     INTEGER NOT NULL, -- 1 for days, 0 for quarters of an hour.
    number   INTEGER NOT NULL, -- Of the day, or the quarter of an hour, since 1970.
    figures  TEXT    NOT NULL, -- A JSON object.
    sketches BLOB,             -- How values are distributed; null if there are only a few.
    samples  BLOB,             -- The values themselves; null if there are too many.
    PRIMARY KEY (project, roots, run_type, days, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX rollups_by_number ON rollups (project, days, number);

-- Rolled-up figures are right if and only if they are not marked here. What changes runs adds the marks in its own transaction.
CREATE TABLE rollup_marks (
    project INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    days    INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    changes INTEGER NOT NULL, -- Grows while the mark exists.
    PRIMARY KEY (project, days, number)
) STRICT, WITHOUT ROWID;

-- A mark for all quarters of an hour in which runs of a trace started.
CREATE TABLE rollup_trace_marks (
    workspace_id TEXT    NOT NULL,
    trace_id     TEXT    NOT NULL,
    changes      INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, trace_id)
) STRICT, WITHOUT ROWID;

-- Nothing is rolled up yet. The index of start times is searched for the next quarter of an hour that has runs.
INSERT INTO rollup_marks (project, days, number, changes)
WITH RECURSIVE quarters (project, number) AS (
    SELECT p.seq, (SELECT (r.start_time - ((r.start_time % 900000000) + 900000000) % 900000000) / 900000000
        FROM runs r WHERE r.project = p.seq ORDER BY r.start_time LIMIT 1) FROM projects p
    UNION ALL
    SELECT q.project, (SELECT (r.start_time - ((r.start_time % 900000000) + 900000000) % 900000000) / 900000000
        FROM runs r WHERE r.project = q.project AND r.start_time >= (q.number + 1) * 900000000 ORDER BY r.start_time LIMIT 1)
    FROM quarters q WHERE q.number IS NOT NULL
)
SELECT project, 0, number, 1 FROM quarters WHERE number IS NOT NULL;
