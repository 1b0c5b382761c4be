-- What isn't due need not be read: a rollout may last forever.

ALTER TABLE revisions ADD COLUMN due_at INTEGER; -- When the status changes by itself; null when it lasts. A server sets it when it starts.

CREATE INDEX revisions_due ON revisions (due_at) WHERE due_at IS NOT NULL;
