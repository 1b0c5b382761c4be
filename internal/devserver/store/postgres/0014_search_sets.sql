-- The sets of the search index have another form: it is built again. Until then, runs are searched without it.

DELETE FROM search_sets;
DELETE FROM search_blocks;
DELETE FROM search_changed;
UPDATE commits SET indexed = 0;
