-- The sets of the search index have another form: it is built again. Until then, runs are searched without it. A server of an earlier version
-- that is adding to the index holds a lease, without which it can't go on.

DELETE FROM search_sets;
DELETE FROM search_blocks;
DELETE FROM search_changed;
UPDATE commits SET indexed = 0;
DELETE FROM leases WHERE work = 'search index';
