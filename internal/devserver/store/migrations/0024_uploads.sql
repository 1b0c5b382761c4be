-- Archives that clients upload for deployments to be built from. Only what is known of them is kept, not their content.

CREATE TABLE uploads (
    path          TEXT    NOT NULL PRIMARY KEY, -- As in revisions.source_tarball_path.
    deployment_id TEXT    NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
    token         TEXT    NOT NULL, -- Whoever has it may upload.
    expires_at    INTEGER NOT NULL,
    size          INTEGER, -- In bytes; null until it is uploaded.
    digest        TEXT -- SHA-256.
) STRICT, WITHOUT ROWID;

CREATE INDEX uploads_of_deployment ON uploads (deployment_id);

-- Fields that clients send and only read back.

ALTER TABLE deployments ADD COLUMN agent_id TEXT;
ALTER TABLE deployments ADD COLUMN agent_environment TEXT;
ALTER TABLE deployments ADD COLUMN tracked_packages TEXT; -- A JSON array: that of the next revision.

ALTER TABLE revisions ADD COLUMN tracked_packages TEXT;
