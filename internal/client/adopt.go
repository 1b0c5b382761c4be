package client

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"time"
)

// adoptPauses are the waits before each look for an object whose create went unanswered. A gateway gives up earlier than
// the service behind it, so the object may come to light a while later.
var adoptPauses = [...]time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}

// creation is a create whose reply was lost, and how to tell whether what is found is what it made.
type creation[T any] struct {
	kind kind
	// path is that of the collection.
	path string
	// name is what the kind's key says, which is unique.
	name string
	// sent is when the create left, cause is what happened to it.
	sent  time.Time
	cause error
	// list reads what to look through; match says whether an object has exactly that name.
	list  func(context.Context) iter.Seq2[page[T], error]
	match func(T) bool
	// appeared says that match accepts only what was not there before the create, which proves more than a time does.
	appeared bool
	// identify gives the id of an object and when it was created.
	identify func(T) (id, createdAt string)
	// differs says what an object has that was not asked for; empty when it may be the one.
	differs func(T) string
}

// adopt settles a create whose reply was lost.
//
// The object of that name is returned if it is provably the one of this create. If none shows up, the create is not
// sent again: the first one may still be under way, the service promises no idempotency keys, and although names are
// unique, the loser of two concurrent creates leaves us with the same question. Applying again asks a human first.
func adopt[T any](ctx context.Context, c *Client, made creation[T]) (*T, error) {
	unknown := &OutcomeUnknownError{
		Method: http.MethodPost, Path: made.path, Name: made.name, Err: made.cause, kind: made.kind,
	}
	ctx, cancel := c.withGrace(ctx)
	defer cancel()
	for _, wait := range adoptPauses {
		if ctx.Err() == nil && wait > 0 {
			_ = c.cfg.Sleep(ctx, wait) // Its error is the context's, which is looked at next.
		}
		if err := ctx.Err(); err != nil {
			unknown.Reason = "looking for it was stopped"
			unknown.Err = &interruptedError{method: unknown.Method, path: unknown.Path, err: err, last: made.cause}
			return nil, unknown
		}
		found, seen, err := made.find(ctx)
		switch {
		case err != nil:
			unknown.Reason = fmt.Sprintf("looking for it failed: %v", err)
		case len(found) == 0:
			unknown.Reason = "nothing with that " + made.kind.key + " exists yet"
		default:
			unknown.ID, _ = made.identify(found[0])
			if unknown.Reason = seen.mask(made.doubt(c, found, seen)); unknown.Reason != "" {
				return nil, unknown
			}
			return &found[0], nil
		}
	}
	return nil, unknown
}

// find gives the objects of exactly that name, and the answer that showed the last of them.
func (made creation[T]) find(ctx context.Context) ([]T, response, error) {
	var found []T
	var seen response
	for p, err := range made.list(ctx) {
		if err != nil {
			return nil, response{}, err
		}
		for _, item := range p.items {
			if made.match(item) {
				found, seen = append(found, item), p.response
			}
		}
	}
	return found, seen, nil
}

// doubt says why what was found may not be what this create made; empty when it is.
func (made creation[T]) doubt(c *Client, found []T, seen response) string {
	if len(found) > 1 {
		return fmt.Sprintf("there are %d with that %s", len(found), made.kind.key)
	}
	id, createdAt := made.identify(found[0])
	if !made.appeared {
		if reason := createdBefore(createdAt, made.sent, seen); reason != "" {
			return reason
		}
	}
	if reason := made.differs(found[0]); reason != "" {
		return reason
	}
	if !c.claim(id) {
		return "another create of this run made it"
	}
	return ""
}

// createdBefore compares by the service's clock, which the Date of an answer shows in whole seconds, cut off. Within
// that second an object counts as new, or no quick create could ever be adopted: whoever made it then made the same
// thing under the same name at the same moment, and if it was this process, claim knows.
func createdBefore(createdAt string, sent time.Time, seen response) string {
	created, err := time.Parse(time.RFC3339, createdAt)
	if err != nil {
		return fmt.Sprintf("its created_at %q is not a date-time", createdAt)
	}
	date, err := http.ParseTime(seen.header.Get("Date"))
	if err != nil {
		return "the service doesn't report its creation time"
	}
	// The service wrote date no later than the answer arrived here, so at least this was its time when the create left.
	if earliest := date.Add(-seen.received.Sub(sent)); created.Before(earliest) {
		return fmt.Sprintf("it was created at %s, before this request", createdAt)
	}
	return ""
}
