package run

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// runCursor is the end of a page of runs. It stays valid while other runs are logged.
type runCursor struct {
	Start     int64 `json:"t"` // Microseconds.
	Seq       int64 `json:"s"`
	Ascending bool  `json:"a,omitempty"`
}

// EncodeCursor encodes the end of a page.
func EncodeCursor[C any](at C) string {
	text, _ := json.Marshal(at) // Encoding numbers and strings never fails.
	return base64.RawURLEncoding.EncodeToString(text)
}

// InvalidCursor refuses a cursor that no list has returned.
func InvalidCursor(text string) error {
	return form.Broken("Invalid cursor '%s': use the cursor of the previous page, or none for the first page.", text)
}

// DecodeCursor returns nil for the first page.
func DecodeCursor[C comparable](text string) (*C, error) {
	if text == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	var at, none C
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields() // A cursor of another list is invalid here.
		err = d.Decode(&at)
	}
	if err != nil || at == none {
		return nil, InvalidCursor(text)
	}
	return &at, nil
}

// readRunCursor reads the cursor of a query with an order.
func readRunCursor(text string, ascending bool) (*store.RunCursor, error) {
	at, err := DecodeCursor[runCursor](text)
	switch {
	case err != nil || at == nil:
		return nil, err
	case at.Ascending != ascending:
		return nil, form.Broken("The cursor '%s' belongs to a list in the opposite order: continue in that order or start without a cursor.", text)
	}
	return &store.RunCursor{StartTime: time.UnixMicro(at.Start).UTC(), Seq: at.Seq}, nil
}

// Page reads a page, and the cursor of the next one; it is empty after the last run.
func Page(tx *store.Tx, f store.RunFilter, ascending bool, cursor string, limit int) ([]store.Run, string, error) {
	after, err := readRunCursor(cursor, ascending)
	if err != nil {
		return nil, "", err
	}
	rows, err := tx.Runs(f, ascending, after, limit+1)
	if err != nil || len(rows) <= limit {
		return rows, "", err
	}
	last := rows[limit-1]
	return rows[:limit], EncodeCursor(runCursor{last.StartTime.UnixMicro(), last.Seq, ascending}), nil
}
