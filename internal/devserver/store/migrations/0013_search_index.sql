-- An index for the search for texts in bodies. Runs are indexed in blocks of consecutive numbers, some time after they arrived; a run
-- that is in no block is searched without the index.

CREATE TABLE search_blocks (
    block      INTEGER PRIMARY KEY, -- Its runs are those from block * 2048 on.
    through    INTEGER NOT NULL, -- Runs from this number on are not indexed.
    start_from INTEGER NOT NULL, -- The earliest and the latest start of its runs.
    start_to   INTEGER NOT NULL,
    parts      INTEGER NOT NULL, -- How many it has.
    unread     BLOB    NOT NULL -- The runs that are too long to be indexed.
) STRICT;

-- For each hash of three bytes, the runs of a block whose body contains them.
CREATE TABLE search_parts (
    id     INTEGER PRIMARY KEY, -- block * 256 + the number of the part.
    slices BLOB NOT NULL
) STRICT;

-- The indexed runs whose bodies have changed since.
CREATE TABLE search_changed (
    run   INTEGER PRIMARY KEY REFERENCES runs (seq) ON DELETE CASCADE,
    times INTEGER NOT NULL
) STRICT;
