-- Fields that only extended dialects have.

ALTER TABLE deployments ADD COLUMN display_name TEXT;
ALTER TABLE deployments ADD COLUMN secret_references TEXT; -- A JSON array.
ALTER TABLE deployments ADD COLUMN shareable INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deployments ADD COLUMN template_id TEXT;
ALTER TABLE deployments ADD COLUMN graph_config_path TEXT; -- Of the first revision, while there is none.

ALTER TABLE revisions ADD COLUMN source_tarball_path TEXT;
