-- Figures are rolled up by quarters of an hour and by days only. They are all rolled up again, which notes the traces on which those of a quarter depend.

INSERT INTO rollup_marks (project, span, number, changes) SELECT DISTINCT r.project, 1, r.number, 1 FROM rollups r WHERE r.span = 1
ON CONFLICT (project, span, number) DO UPDATE SET changes = rollup_marks.changes + 1;

DELETE FROM rollup_marks WHERE span <> 1;
DELETE FROM rollups;
DELETE FROM rollup_figures;
DROP TABLE rollup_trace_marks;
DROP TABLE wide_traces;

-- Traces with a run in a quarter of an hour of a project that aren't complete within it: what changes one of their runs may change its figures.
CREATE TABLE rollup_traces (
    workspace_id TEXT    NOT NULL,
    trace_id     TEXT    NOT NULL,
    project      INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    number       INTEGER NOT NULL, -- Of the quarter of an hour, since 1970.
    PRIMARY KEY (project, number, workspace_id, trace_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX rollup_traces_of_trace ON rollup_traces (workspace_id, trace_id);
