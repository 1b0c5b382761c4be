-- Settings of extended dialects, and the commands that a revision was built with.

ALTER TABLE deployments ADD COLUMN route_through_gateway INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deployments ADD COLUMN tracked_repo_ref TEXT; -- Null: that of the latest revision.

ALTER TABLE revisions ADD COLUMN install_command TEXT;
ALTER TABLE revisions ADD COLUMN build_command TEXT;
