-- What the clock has been advanced by: at most one row.

CREATE TABLE clock (
    ahead INTEGER NOT NULL -- Microseconds.
) STRICT;
