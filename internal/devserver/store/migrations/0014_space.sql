-- Projects whose deletion has begun. Their runs are in no answer, and are deleted a few at a time.

CREATE TABLE deleted_projects (
    project INTEGER PRIMARY KEY REFERENCES projects (seq) ON DELETE CASCADE
) STRICT;

-- What clients say about how long the traces of a project are kept.
ALTER TABLE projects ADD COLUMN trace_tier TEXT; -- shortlived or longlived.
ALTER TABLE projects ADD COLUMN longlived_ttl_days INTEGER;
