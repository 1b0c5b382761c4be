package store

import (
	"slices"
	"strings"
	"time"
)

// Dataset is a row of datasets: examples that agents are tested with.
type Dataset struct {
	WorkspaceID string    `db:"workspace_id"`
	ID          string    `db:"id"`
	Name        string    `db:"name"`
	Description *string   `db:"description"`
	DataType    string    `db:"data_type"`
	Settings    string    `db:"settings"` // A JSON object.
	CreatedAt   time.Time `db:"created_at"`
	ModifiedAt  time.Time `db:"modified_at"` // Of the dataset or its examples.

	// Examples and Experiments are how many the dataset has, and LastExperiment is when the newest one began. They aren't columns.
	Examples, Experiments int64
	LastExperiment        *time.Time
}

const experimentsOfDataset = "FROM projects p WHERE p.reference_dataset_id = d.id AND p.workspace_id = d.workspace_id"

var (
	datasets      = tableOf[Dataset]("datasets", "workspace_id", "id")
	selectDataset = "SELECT " + datasets.aliased("d") + `, (SELECT count(*) FROM examples e WHERE e.dataset = d.seq), (SELECT count(*) ` +
		experimentsOfDataset + "), (SELECT max(p.start_time) " + experimentsOfDataset + ") FROM datasets d WHERE d.workspace_id = ?"
)

func scanDataset(row scanner) (Dataset, error) {
	var d Dataset
	err := row.Scan(append(datasets.into(&d), &d.Examples, &d.Experiments, nullableTimeColumn{&d.LastExperiment})...)
	return d, err
}

// Dataset reads one dataset.
func (t *Tx) Dataset(workspaceID, id string) (Dataset, error) {
	return queryOne(t, scanDataset, selectDataset+" AND d.id = ?", workspaceID, id)
}

// DatasetFilter selects datasets; nil fields match all.
type DatasetFilter struct {
	Name, NameContains *string // The second ignores case.
	IDs                []string
}

// Datasets lists all matching datasets, newest first.
func (t *Tx) Datasets(workspaceID string, f DatasetFilter) ([]Dataset, error) {
	where, args := "", []any{workspaceID}
	if f.Name != nil {
		where, args = where+" AND d.name = ?", append(args, *f.Name)
	}
	if f.IDs != nil {
		where, args = where+" AND d.id IN ("+marks(len(f.IDs))+")", append(args, anys(f.IDs)...)
	}
	all, err := query(t, scanDataset, selectDataset+where+" ORDER BY d.seq DESC", args...)
	if f.NameContains != nil { // In linear time, as for projects.
		part := strings.ToLower(*f.NameContains)
		all = slices.DeleteFunc(all, func(d Dataset) bool { return !strings.Contains(strings.ToLower(d.Name), part) })
	}
	return all, err
}

// InsertDataset adds a dataset. The workspace must have none with its ID or its name.
func (t *Tx) InsertDataset(d Dataset) error {
	return datasets.insert(t, d)
}

// UpdateDataset updates the columns of a dataset that can change.
func (t *Tx) UpdateDataset(d Dataset) error {
	return datasets.update(t, d, "name", "description", "settings", "modified_at")
}

// DeleteDataset deletes a dataset with its examples. Its experiments stay.
func (t *Tx) DeleteDataset(workspaceID, id string) error {
	t.deletes = true
	if err := t.countExamples(workspaceID, -1, ofDataset, workspaceID, id); err != nil {
		return err
	}
	return t.execOne("DELETE FROM datasets WHERE workspace_id = ? AND id = ?", workspaceID, id)
}
