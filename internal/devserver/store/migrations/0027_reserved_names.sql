-- Names of deployments that were deleted with force, which can't be used again.

CREATE TABLE reserved_names (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    UNIQUE (workspace_id, name)
) STRICT;
