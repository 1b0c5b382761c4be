package devserver

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// runCursor is where a page of runs ends. It stays there when other runs are logged meanwhile.
type runCursor struct {
	Start     int64 `json:"t"` // Microseconds.
	Seq       int64 `json:"s"`
	Ascending bool  `json:"a,omitempty"`
}

func (r runCursor) encode() string {
	text, _ := json.Marshal(r) // Numbers can always be encoded.
	return base64.RawURLEncoding.EncodeToString(text)
}

// readCursor reads the cursor of a query that asks for an order; nil for the first page.
func readCursor(text string, ascending bool) (*store.RunCursor, error) {
	if text == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	var at runCursor
	if err == nil {
		err = json.Unmarshal(raw, &at)
	}
	switch {
	case err != nil:
		return nil, badRequest("Invalid cursor '%s': use the one of the last page, or none for the first page.", text)
	case at.Ascending != ascending:
		return nil, badRequest("The cursor '%s' is of a list in the other order: go on in that order, or begin without a cursor.", text)
	}
	return &store.RunCursor{StartTime: time.UnixMicro(at.Start).UTC(), Seq: at.Seq}, nil
}

// runPage reads a page, and where the next one begins; that is empty after the last run.
func (c *call) runPage(f store.RunFilter, ascending bool, cursor string, limit int) ([]store.Run, string, error) {
	after, err := readCursor(cursor, ascending)
	if err != nil {
		return nil, "", err
	}
	rows, err := c.tx.Runs(f, ascending, after, limit+1)
	if err != nil || len(rows) <= limit {
		return rows, "", err
	}
	last := rows[limit-1]
	return rows[:limit], runCursor{last.StartTime.UnixMicro(), last.Seq, ascending}.encode(), nil
}
