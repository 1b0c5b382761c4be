-- Figures are rolled up by quarters of an hour and by days only. They are all rolled up again, which notes the traces on which those of a quarter depend.

INSERT INTO rollup_marks (project, span, number, changes) SELECT DISTINCT r.project, 1, r.number, 1 FROM rollups r WHERE r.span = 1
ON CONFLICT (project, span, number) DO UPDATE SET changes = rollup_marks.changes + 1;

DELETE FROM rollup_marks WHERE span <> 1;
DELETE FROM rollup_figures;
DROP TABLE rollups;
DROP TABLE rollup_trace_marks;
DROP TABLE wide_traces;

CREATE TABLE rollups (
    project  INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    runs     INTEGER NOT NULL, -- 0: all, 1: roots of traces, 2: tools, 3: those directly below a root.
    property INTEGER NOT NULL, -- 0: none, 1: type, 2: status, 3: name, 4: model, 5: calls without a cost. Negative: some values have no row.
    value    TEXT    NOT NULL, -- Of the property. Of 5: the number of the span in which the trace began.
    span     INTEGER NOT NULL, -- In quarters of an hour: 1 or 96.
    number   INTEGER NOT NULL, -- Of the span, since 1970.
    figures  INTEGER NOT NULL, -- Of rollup_figures. Several rows of a number may have the same, such as a name and the type of all runs with it.
    PRIMARY KEY (project, span, runs, property, number, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX rollups_by_number ON rollups (project, span, number);

-- Traces with a run in a quarter of an hour of a project that aren't complete within it: what changes one of their runs may change its figures.
CREATE TABLE rollup_traces (
    workspace_id TEXT    NOT NULL,
    trace_id     TEXT    NOT NULL,
    project      INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    number       INTEGER NOT NULL, -- Of the quarter of an hour, since 1970.
    PRIMARY KEY (project, number, workspace_id, trace_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX rollup_traces_of_trace ON rollup_traces (workspace_id, trace_id);
