package tracing

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// runCursor is the end of a page of runs. It stays valid while other runs are logged.
type runCursor struct {
	Start     int64 `json:"t"` // Microseconds.
	Seq       int64 `json:"s"`
	Ascending bool  `json:"a,omitempty"`
}

// threadCursor is the end of a page of conversations. A conversation that continues meanwhile moves to the front of the
// list, and so doesn't appear again on later pages.
type threadCursor struct {
	Begun int64  `json:"t"` // Microseconds.
	ID    string `json:"i"`
}

func encodeCursor[C runCursor | threadCursor](at C) string {
	text, _ := json.Marshal(at) // Encoding numbers and strings never fails.
	return base64.RawURLEncoding.EncodeToString(text)
}

// cursorOf returns the cursor of a query. Some clients send the body of the first page with every page, and the cursor in
// the path.
func cursorOf(c *rest.Call, said *string) string {
	if inPath := rest.NewParams(c.Request).Text("cursor"); rest.OrEmpty(inPath) != "" {
		return *inPath
	}
	return rest.OrEmpty(said)
}

func invalidCursor(text string) error {
	return rest.BadRequest("Invalid cursor '%s': use the cursor of the previous page, or none for the first page.", text)
}

// decodeCursor returns nil for the first page.
func decodeCursor[C runCursor | threadCursor](text string) (*C, error) {
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
		return nil, invalidCursor(text)
	}
	return &at, nil
}

// readRunCursor reads the cursor of a query with an order.
func readRunCursor(text string, ascending bool) (*store.RunCursor, error) {
	at, err := decodeCursor[runCursor](text)
	switch {
	case err != nil || at == nil:
		return nil, err
	case at.Ascending != ascending:
		return nil, rest.BadRequest("The cursor '%s' belongs to a list in the opposite order: continue in that order or start without a cursor.", text)
	}
	return &store.RunCursor{StartTime: time.UnixMicro(at.Start).UTC(), Seq: at.Seq}, nil
}

// RunPage reads a page, and the cursor of the next one; it is empty after the last run.
func (s *Service) RunPage(c *rest.Call, f store.RunFilter, ascending bool, cursor string, limit int) ([]store.Run, string, error) {
	after, err := readRunCursor(cursor, ascending)
	if err != nil {
		return nil, "", err
	}
	rows, err := c.Tx.Runs(f, ascending, after, limit+1)
	if err != nil || len(rows) <= limit {
		return rows, "", err
	}
	last := rows[limit-1]
	return rows[:limit], encodeCursor(runCursor{last.StartTime.UnixMicro(), last.Seq, ascending}), nil
}

// threadPage is RunPage for conversations, the most recently started first. It skips those that don't match a filter.
func (s *Service) threadPage(c *rest.Call, f store.RunFilter, where filter.Expr, cursor string, limit int) ([]thread, string, error) {
	at, err := decodeCursor[threadCursor](cursor)
	if err != nil {
		return nil, "", err
	}
	var after *store.Thread
	if at != nil {
		after = &store.Thread{ID: at.ID, LastStart: time.UnixMicro(at.Begun).UTC()}
	}
	var page []thread
	var last store.Thread // The last one of the page.
	for {
		found, err := c.Tx.Threads(f, after, limit+1, 0)
		if err != nil {
			return nil, "", err
		}
		threads, err := s.threads(c, f, found)
		if err != nil {
			return nil, "", err
		}
		for i, t := range threads {
			if is, err := s.threadMatches(c, t, where); err != nil || !is {
				if err != nil {
					return nil, "", err
				}
				continue
			}
			if len(page) == limit {
				return page, encodeCursor(threadCursor{last.LastStart.UnixMicro(), last.ID}), nil
			}
			page, last = append(page, t), found[i]
		}
		if len(found) <= limit {
			return page, "", nil
		}
		after = &found[limit]
	}
}
