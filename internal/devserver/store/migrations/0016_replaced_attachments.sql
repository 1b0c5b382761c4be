-- Attachments of requests that have not finished, and those that were replaced.
CREATE INDEX attachments_of_nobody ON attachments (created_at) WHERE run_id IS NULL;
