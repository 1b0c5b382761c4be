-- Figures are rolled up by quarters of an hour and by days only. They are all rolled up again, which notes the traces on which those of a quarter depend.

INSERT INTO rollup_marks (project, span, number, changes) SELECT DISTINCT r.project, 1, r.number, 1 FROM rollups r WHERE r.span = 1
ON CONFLICT (project, span, number) DO UPDATE SET changes = rollup_marks.changes + 1;

DELETE FROM rollup_marks WHERE span <> 1;
DELETE FROM rollup_figures;
DROP TABLE rollups;
DROP TABLE rollup_trace_marks;
DROP TABLE wide_traces;

CREATE TABLE rollups (
    project  BIGINT NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    runs     BIGINT NOT NULL,
    property BIGINT NOT NULL,
    value    TEXT COLLATE "C" NOT NULL,
    span     BIGINT NOT NULL,
    number   BIGINT NOT NULL,
    figures  BIGINT NOT NULL -- Of rollup_figures.
);

CREATE UNIQUE INDEX rollups_by_value ON rollups (project, span, runs, property, number, md5(value));
CREATE INDEX rollups_by_number ON rollups (project, span, number);

-- Traces with a run in a quarter of an hour of a project that aren't complete within it: what changes one of their runs may change its figures.
CREATE TABLE rollup_traces (
    workspace_id TEXT COLLATE "C" NOT NULL,
    trace_id     TEXT COLLATE "C" NOT NULL,
    project      BIGINT NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    number       BIGINT NOT NULL,
    PRIMARY KEY (project, number, workspace_id, trace_id)
);

CREATE INDEX rollup_traces_of_trace ON rollup_traces (workspace_id, trace_id);
