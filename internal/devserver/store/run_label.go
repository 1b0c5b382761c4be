package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// LabelKind is the kind of a label.
type LabelKind int

// The kinds of labels, as they are stored.
const (
	Tag      LabelKind = 0
	Metadata LabelKind = 1
)

// Label is a tag, whose key is empty, or a metadata entry.
type Label struct {
	Kind       LabelKind
	Key, Value string
}

// maxLabel is the longest label value that is stored unchanged. A longer one is stored as its beginning and a digest:
// values can still be compared, and the database needn't search long texts.
const maxLabel = 1 << 10

// labelValue returns a value as it is stored in labels.
func labelValue(value string) string {
	if len(value) <= maxLabel {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return strings.ToValidUTF8(value[:maxLabel-2*len(sum)], "") + hex.EncodeToString(sum[:])
}

// StoredLabels returns labels as they are stored. SaveRun takes them in either form.
func StoredLabels(labels []Label) []Label {
	for i := range labels {
		labels[i].Value = labelValue(labels[i].Value)
	}
	return labels
}

// Labels are two labels of a run. The first one is looked up: it should be the rarer one.
type Labels struct{ First, Other Label }

// FirstLabelled returns the IDs of the first runs that have both labels of each pair, which contain no zero bytes; empty for none. There is one
// statement for all.
func (t *Tx) FirstLabelled(workspaceID string, pairs []Labels) ([]string, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	arguments := make([][]any, len(pairs))
	for i, p := range pairs {
		arguments[i] = []any{p.First.Kind, p.First.Key, labelValue(p.First.Value), p.Other.Kind, p.Other.Key, labelValue(p.Other.Value)}
	}
	list, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	kind := func(n int) string { return "CAST(" + elementOfList(n) + " AS BIGINT)" }
	return query(t, scanText, "SELECT coalesce((SELECT r.id FROM run_labels f"+using("run_labels_by_value")+thenJoin+`runs r ON r.seq = f.run
		WHERE f.kind = `+kind(0)+" AND f.key = "+elementOfList(1)+" AND f.value = "+elementOfList(2)+" AND "+unindexed("r.workspace_id")+" = ? AND "+alive("r")+`
			AND EXISTS (SELECT 1 FROM run_labels o WHERE o.run = f.run AND o.kind = `+kind(3)+" AND o.key = "+elementOfList(4)+" AND o.value = "+elementOfList(5)+`)
		ORDER BY f.run LIMIT 1), '') FROM `+lists+" ORDER BY l.key", workspaceID, string(list))
}

// Labelled lists some of the runs that have both labels, in the order in which they arrived, after the run with a number.
//
// Labelled looks up the first label, which should be the rarer one.
func (t *Tx) Labelled(workspaceID string, label, other Label, after int64, limit int) ([]Run, error) {
	return query(t, scanRun, "SELECT "+runColumns+" FROM run_labels l"+using("run_labels_by_value")+thenJoin+`runs r ON r.seq = l.run
		WHERE l.kind = ? AND l.key = ? AND l.value = ? AND l.run > ? AND `+unindexed("r.workspace_id")+` = ? AND `+alive("r")+` AND EXISTS (
			SELECT 1 FROM run_labels o WHERE o.run = l.run AND o.kind = ? AND o.key = ? AND o.value = ?)
		ORDER BY r.seq LIMIT ?`, label.Kind, label.Key, label.Value, after, workspaceID, other.Kind, other.Key, other.Value, limit)
}

// TraceDepth returns the largest number of runs from the root of a trace down to one of its runs.
func (t *Tx) TraceDepth(workspaceID, traceID string) (int, error) {
	depth, err := queryOne(t, scanNumber, `
		SELECT coalesce(max(length(r.dotted_order) - length(replace(r.dotted_order, '.', '')) + 1), 0) FROM runs r
		WHERE r.trace_id = ? AND `+unindexed("r.workspace_id")+" = ? AND "+alive("r"), traceID, workspaceID)
	return int(depth), err
}
