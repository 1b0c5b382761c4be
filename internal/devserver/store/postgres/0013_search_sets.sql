-- The search index is built again, in larger blocks that grow. Until then, runs are searched without it.

DROP TABLE search_grams;
DROP TABLE search_parts;
DROP TABLE search_blocks;
DELETE FROM search_changed;
UPDATE commits SET indexed = 0;

CREATE TABLE search_blocks (
    block   BIGINT PRIMARY KEY, -- Its runs are those from block * 8192 on.
    through BIGINT NOT NULL, -- Runs from this number on are not indexed.
    long    BYTEA NOT NULL -- The runs that are too long to be indexed.
);

-- For some hashes of three bytes, the runs of a block whose bodies contain them.
CREATE TABLE search_sets (
    id   BIGINT PRIMARY KEY, -- block * 1024 + the hash / 8.
    sets BYTEA NOT NULL
);
