-- What consecutive blocks of the search index have of a hash is in one row, once there are enough of them.

ALTER TABLE search_blocks ADD COLUMN merged BIGINT NOT NULL DEFAULT 0; -- Its parts before this one are in search_grams.

CREATE TABLE search_grams (
    id     BIGINT PRIMARY KEY, -- block / 32 * 8192 + the hash.
    slices BYTEA NOT NULL
);
