-- Tiers of deployments, and integrations of the second app of the git host.

ALTER TABLE deployments ADD COLUMN deployment_tier TEXT;
ALTER TABLE deployments ADD COLUMN compute_tier TEXT;
ALTER TABLE deployments ADD COLUMN database_tier TEXT;

ALTER TABLE integrations ADD COLUMN forge INTEGER NOT NULL DEFAULT 0;
