// Package dataset is what agents are tested with: datasets of examples, which are inputs with the outputs that are expected.
//
// A dataset has only its latest version, whose time is that of its last change. An example is in splits, which its metadata lists as
// dataset_split. An experiment is a project with a reference_dataset_id; its root runs name their example as reference_example_id, and
// their scores are feedback. Deleting a dataset keeps its experiments.
//
// Examples are uploaded alone, as JSON, or together, as the parts of a form (example.go).
package dataset
