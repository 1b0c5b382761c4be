package thread

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// threadCursor is the end of a page of conversations. A conversation that continues meanwhile moves to the front of the
// list, and so doesn't appear again on later pages.
type threadCursor struct {
	Begun int64  `json:"t"` // Microseconds.
	ID    string `json:"i"`
}

// threadPage is RunPage for conversations, the most recently started first. It skips those that don't match a filter.
func threadPage(tx *store.Tx, f store.RunFilter, where filter.Expr, cursor string, limit int) ([]thread, string, error) {
	at, err := run.DecodeCursor[threadCursor](cursor)
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
		found, err := tx.Threads(f, after, limit+1, 0)
		if err != nil {
			return nil, "", err
		}
		threads, err := threads(tx, f, found)
		if err != nil {
			return nil, "", err
		}
		for i, t := range threads {
			if is, err := threadMatches(tx, t, where); err != nil || !is {
				if err != nil {
					return nil, "", err
				}
				continue
			}
			if len(page) == limit {
				return page, run.EncodeCursor(threadCursor{last.LastStart.UnixMicro(), last.ID}), nil
			}
			page, last = append(page, t), found[i]
		}
		if len(found) <= limit {
			return page, "", nil
		}
		after = &found[limit]
	}
}

// onlyThreads restricts the matching runs to conversations that match a filter.
func onlyThreads(tx *store.Tx, f *store.RunFilter, text *string) error {
	where, err := run.ParseFilter(text, filter.ParseThread)
	if err != nil || where == nil {
		return err
	}
	matching := filter.In{Field: filter.ThreadID}
	for cursor, first := "", true; first || cursor != ""; first = false {
		var page []thread
		if page, cursor, err = threadPage(tx, *f, where, cursor, limits.LongPage); err != nil {
			return err
		}
		for _, t := range page {
			matching.Values = append(matching.Values, filter.Value{Text: &t.id})
		}
		if len(matching.Values) > limits.FilterSize {
			return form.Broken("thread_filter matches more than %d conversations: narrow the query", limits.FilterSize)
		}
	}
	f.Where = run.Both(f.Where, matching)
	return nil
}
