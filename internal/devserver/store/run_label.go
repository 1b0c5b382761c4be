package store

import (
	"crypto/sha256"
	"encoding/hex"
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
