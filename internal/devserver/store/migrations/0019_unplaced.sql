-- Runs that still have to be placed below another one, which has arrived after them: a few in each transaction.

CREATE TABLE unplaced (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id TEXT    NOT NULL,
    run_id       TEXT    NOT NULL, -- The run below which they belong.
    kind         INTEGER NOT NULL, -- 0: they name it as their parent, 1: they are roots made from spans that do, 2: they are below it, but in its former trace.
    through      INTEGER NOT NULL, -- Of 0 and 1: those with numbers up to this one have been placed.
    trace_id     TEXT, -- Of 2: the former trace, and the former place of the run.
    dotted_order TEXT
) STRICT;

CREATE INDEX unplaced_of_workspace ON unplaced (workspace_id, seq);
