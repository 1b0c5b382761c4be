-- The secrets of deployments are encrypted, which SealSecrets does for those of older files. What is deleted here and there is overwritten.

PRAGMA secure_delete = ON;

ALTER TABLE deployments ADD COLUMN sealed_secrets BLOB; -- Null: none.
ALTER TABLE deployments ADD COLUMN plain_secrets TEXT; -- Of an older file, until they are encrypted: a JSON array.
UPDATE deployments SET plain_secrets = secrets WHERE secrets NOT IN ('[]', 'null');
ALTER TABLE deployments DROP COLUMN secrets;
