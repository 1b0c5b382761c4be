-- What consecutive blocks of the search index have of a hash is in one row, once there are enough of them: a search reads one place for all of
-- them then, and not one for each. What was indexed before is merged later, a little at a time.

ALTER TABLE search_blocks ADD COLUMN merged INTEGER NOT NULL DEFAULT 0; -- Its parts before this one are in search_grams.

CREATE TABLE search_grams (
    id     INTEGER PRIMARY KEY, -- block / 32 * 8192 + the hash.
    slices BLOB NOT NULL
) STRICT;
