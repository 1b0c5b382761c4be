-- Figures are also rolled up by status, name and model, and by four hours. What was rolled up lacks these, and is rolled up again.

ALTER TABLE rollup_marks RENAME TO old_rollup_marks;

CREATE TABLE rollup_marks (
    project INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    span    INTEGER NOT NULL, -- In quarters of an hour: 1, 16 or 96.
    number  INTEGER NOT NULL, -- Of the span, since 1970.
    changes INTEGER NOT NULL, -- Grows while the mark exists.
    PRIMARY KEY (project, span, number)
) STRICT, WITHOUT ROWID;

INSERT INTO rollup_marks SELECT project, 1, number, 1 FROM old_rollup_marks WHERE days = 0
UNION SELECT project, 1, number, 1 FROM rollups WHERE days = 0;

DROP TABLE old_rollup_marks;
DROP TABLE rollups;

CREATE TABLE rollups (
    project  INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    runs     INTEGER NOT NULL, -- 0: all, 1: roots of traces, 2: tools, 3: those directly below a root.
    property INTEGER NOT NULL, -- 0: none, 1: type, 2: status, 3: name, 4: model, 5: calls without a cost. Negative: some values have no row.
    value    TEXT    NOT NULL, -- Of the property. Of 5: the number of the span in which the trace began.
    span     INTEGER NOT NULL, -- In quarters of an hour: 1, 16 or 96.
    number   INTEGER NOT NULL, -- Of the span, since 1970.
    figures  INTEGER NOT NULL, -- Of rollup_figures. Several rows of a number may have the same, such as a name and the type of all runs with it.
    PRIMARY KEY (project, runs, property, value, span, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_figures (
    seq      INTEGER PRIMARY KEY,
    figures  TEXT NOT NULL, -- A JSON object.
    sketches BLOB,          -- How values are distributed; null if there are only a few.
    samples  BLOB           -- The values themselves; null if there are too many.
) STRICT;

CREATE INDEX rollups_by_number ON rollups (project, span, number);

-- Traces with runs in several quarters of an hour. What changes one of their runs may change rolled-up figures of other quarters.
CREATE TABLE wide_traces (
    workspace_id TEXT NOT NULL,
    trace_id     TEXT NOT NULL,
    PRIMARY KEY (workspace_id, trace_id)
) STRICT, WITHOUT ROWID;
