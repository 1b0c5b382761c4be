-- Projects whose deletion has begun. Their runs are in no answer, and are deleted a few at a time.

CREATE TABLE deleted_projects (
    project INTEGER PRIMARY KEY REFERENCES projects (seq) ON DELETE CASCADE
) STRICT;
