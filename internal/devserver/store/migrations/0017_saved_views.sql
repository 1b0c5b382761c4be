-- Searches in a project that users have named.

CREATE TABLE saved_views (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id TEXT    NOT NULL,
    user_id      TEXT    NOT NULL,
    project      INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    name         TEXT    NOT NULL,
    query        TEXT    NOT NULL, -- That of the project's page.
    UNIQUE (workspace_id, user_id, project, name)
) STRICT;

CREATE INDEX saved_views_of_project ON saved_views (project);
