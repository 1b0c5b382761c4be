package store

import (
	"errors"
	"time"
)

// Example is a row of examples: inputs of an agent, and the outputs that are expected.
type Example struct {
	WorkspaceID, ID, DatasetID string
	Inputs                     string  // A JSON object.
	Outputs                    *string // A JSON object.
	Metadata                   string  // A JSON object.
	SourceRunID                *string
	CreatedAt, ModifiedAt      time.Time
}

const (
	selectExample = `SELECT e.workspace_id, e.id, d.id, e.inputs, e.outputs, e.metadata, e.source_run_id, e.created_at, e.modified_at
	FROM examples e JOIN datasets d ON d.seq = e.dataset WHERE `
	// ofDataset is the condition for the examples of a dataset, by its workspace and its ID.
	ofDataset = "e.dataset = (SELECT d.seq FROM datasets d WHERE d.workspace_id = ? AND d.id = ?)"
)

func scanExample(row scanner) (Example, error) {
	var e Example
	err := row.Scan(&e.WorkspaceID, &e.ID, &e.DatasetID, &e.Inputs, &e.Outputs, &e.Metadata, &e.SourceRunID, timeColumn{&e.CreatedAt},
		timeColumn{&e.ModifiedAt})
	return e, err
}

// Example reads one example.
func (t *Tx) Example(workspaceID, id string) (Example, error) {
	return queryOne(t, scanExample, selectExample+"e.workspace_id = ? AND e.id = ?", workspaceID, id)
}

// ExampleFilter selects examples. An empty dataset and nil IDs match all.
type ExampleFilter struct {
	WorkspaceID, DatasetID string
	IDs                    []string
}

// EachExample calls visit with the matching examples on a page, last changed first, until visit fails.
func (t *Tx) EachExample(f ExampleFilter, page Page, visit func(Example) error) error {
	where, args := "e.workspace_id = ?", []any{f.WorkspaceID}
	if f.DatasetID != "" {
		where, args = ofDataset, append(args, f.DatasetID)
	}
	if f.IDs != nil {
		where, args = where+" AND e.id IN ("+marks(len(f.IDs))+")", append(args, anys(f.IDs)...)
	}
	return each(t, scanExample, visit, selectExample+where+" ORDER BY e.modified_at DESC, e.seq DESC LIMIT ? OFFSET ?",
		append(args, page.Limit, page.Offset)...)
}

// SaveExamples adds examples of a workspace, or replaces those with their IDs.
func (t *Tx) SaveExamples(workspaceID string, all []Example, now time.Time) error {
	ids := make([]string, len(all))
	for i, e := range all {
		ids[i] = e.ID
	}
	return t.changeExamples(workspaceID, ids, now, func() error {
		for _, e := range all {
			if err := t.execOne(`
				INSERT INTO examples (workspace_id, id, dataset, inputs, outputs, metadata, source_run_id, created_at, modified_at)
				SELECT d.workspace_id, ?, d.seq, ?, ?, ?, ?, ?, ? FROM datasets d WHERE d.workspace_id = ? AND d.id = ?
				ON CONFLICT (workspace_id, id) DO UPDATE SET
					dataset = excluded.dataset, inputs = excluded.inputs, outputs = excluded.outputs, metadata = excluded.metadata,
					source_run_id = excluded.source_run_id, modified_at = excluded.modified_at`,
				e.ID, e.Inputs, e.Outputs, e.Metadata, e.SourceRunID, micros(e.CreatedAt), micros(e.ModifiedAt), workspaceID, e.DatasetID); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteExamples deletes those of some examples that exist.
func (t *Tx) DeleteExamples(workspaceID string, ids []string, now time.Time) error {
	return t.changeExamples(workspaceID, ids, now, func() error {
		return t.exec("DELETE FROM examples WHERE workspace_id = ?1 AND id IN "+elements("?2"), workspaceID, jsonList(ids))
	})
}

// changeExamples changes examples, their datasets, which they may move between, and what is known of the space that they take.
func (t *Tx) changeExamples(workspaceID string, ids []string, now time.Time, change func() error) error {
	const these = "e.workspace_id = ?1 AND e.id IN "
	note := func(times int64) error {
		return errors.Join(t.countExamples(workspaceID, times, these+elements("?2"), workspaceID, jsonList(ids)),
			t.exec("UPDATE datasets SET modified_at = ?3 WHERE seq IN (SELECT e.dataset FROM examples e WHERE "+these+elements("?2")+")",
				workspaceID, jsonList(ids), micros(now)))
	}
	if err := note(-1); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	return note(1)
}

// exampleBytes is what an example takes: its texts, and an estimate of its numbers and its entries in indexes.
const exampleBytes = "300 + octet_length(e.inputs) + coalesce(octet_length(e.outputs), 0) + octet_length(e.metadata)"

// countExamples notes that examples take space, or no longer take it if times is -1. They belong to no project.
func (t *Tx) countExamples(workspaceID string, times int64, where string, args ...any) error {
	bytes, err := queryOne(t, scanNumber, "SELECT CAST(coalesce(sum("+exampleBytes+"), 0) AS BIGINT) FROM examples e WHERE "+where, args...)
	t.occupy(workspaceID, 0, Space{Rows: times * bytes})
	return err
}
