package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"
)

// creating is a create that didn't return its object, with what is needed to recognize the object that it made.
type creating[T any] struct {
	kind kind
	// path is the path of the collection.
	path string
	// name is the value of the kind's key, which is unique.
	name string
	// adopted, if not nil, is set if the object was found instead of returned.
	adopted *bool
	// sent is when the create was sent, cause the error that it returned.
	sent  time.Time
	cause error
	// list reads the objects to search; match reports whether an object has exactly that name.
	list  func(context.Context) iter.Seq2[listPage[T], error]
	match func(T) bool
	// appeared means that match only accepts objects that didn't exist before the create, which proves more than a time.
	appeared bool
	// identify returns the ID of an object and when it was created.
	identify func(T) (id, createdAt string)
	// differs describes what an object has that was not requested; empty if it may be the one. Nil means that nothing else was requested.
	differs func(T) string
}

// create sends a create. Unless the request was provably not processed, a failed create is followed by a search for the object: for some
// seconds after a lost reply or a refusal by something in front of the service, and once after a refusal of the service itself, which may
// be that of a second attempt in between; what it finds is then only named. made describes the object, except for the request.
func create[T any](ctx context.Context, c *Client, r request, check func(*T) error, made creating[T]) (*T, error) {
	created, a, err := fetch(ctx, c, r, check)
	if err == nil && !made.appeared {
		_, createdAt := made.identify(*created)
		if age, unknown := a.age(createdAt, a.sent); unknown == "" && age > clockTolerance { // Such as the one that was just destroyed.
			err = a.failureWith(r, "the response is about an object that was created at "+createdAt+", before this request")
		}
	}
	made.path, made.sent, made.cause = r.path, a.sent, err
	pauses := adoptPauses[:]
	switch {
	case err == nil:
		id, _ := made.identify(*created)
		c.claim(id)
		return created, nil
	case isRefusal(err):
		pauses = pauses[:1]
	case !MayHaveHappened(err):
		return nil, err
	}
	found, unknown := adopt(ctx, c, made, pauses)
	if unknown == nil {
		if made.adopted != nil {
			*made.adopted = true
		}
		return found, nil
	}
	answered, refused := errors.AsType[*Error](err)
	switch {
	case !refused || isSuccess(answered.Status) || IsAmbiguous(err):
		return nil, unknown
	case !isRefusal(err), unknown.ID != "" && !unknown.existed && answered.Status != http.StatusConflict: // A conflict is named anyway.
		answered.Doubt, answered.FoundID = unknown.doubt(), unknown.ID
	}
	return nil, err
}

// adopt finds out what became of a create that didn't return its object.
//
// It returns the object of that name if it is provably the result of this create. If none appears, the create is not
// sent again: the first one may still be in progress, the service offers no idempotency keys, and although names are
// unique, the loser of two concurrent creates would face the same question. Applying again is the user's decision.
func adopt[T any](ctx context.Context, c *Client, made creating[T], pauses []time.Duration) (*T, *OutcomeUnknownError) {
	unknown := &OutcomeUnknownError{
		Method: http.MethodPost, Path: made.path, Name: made.name, Err: made.cause, kind: made.kind,
	}
	ctx, cancel := c.WithGrace(ctx)
	defer cancel()
	for _, wait := range pauses {
		if ctx.Err() == nil && wait > 0 {
			_ = c.cfg.Sleep(ctx, wait) // Its error is the context's, which is checked next.
		}
		if err := ctx.Err(); err != nil {
			unknown.Reason = "looking for it was stopped"
			unknown.Err = &interruptedError{method: unknown.Method, path: unknown.Path, err: err, last: made.cause}
			return nil, unknown
		}
		found, listed, err := made.find(ctx)
		switch {
		case err != nil:
			unknown.Reason = fmt.Sprintf("looking for it failed: %v", err)
		case len(found) == 0:
			unknown.Reason = "nothing with that " + made.kind.key + " exists yet"
		default:
			var createdAt string
			unknown.ID, createdAt = made.identify(found[0])
			unknown.existed = made.existed(createdAt, listed) != ""
			if unknown.Reason = listed.mask(made.doubt(c, found, listed)); unknown.Reason != "" {
				return nil, unknown
			}
			return &found[0], nil
		}
	}
	return nil, unknown
}

// find returns the objects of exactly that name, and the response that contained the last of them.
func (made creating[T]) find(ctx context.Context) ([]T, httpResponse, error) {
	var found []T
	var listed httpResponse
	for p, err := range made.list(ctx) {
		if err != nil {
			return nil, httpResponse{}, err
		}
		for _, item := range p.items {
			if made.match(item) {
				found, listed = append(found, item), p.response
			}
		}
	}
	return found, listed, nil
}

// doubt explains why the found object may not be the result of this create; empty if it is.
func (made creating[T]) doubt(c *Client, found []T, listed httpResponse) string {
	if len(found) > 1 {
		return fmt.Sprintf("there are %d with that %s", len(found), made.kind.key)
	}
	id, createdAt := made.identify(found[0])
	if reason := made.existed(createdAt, listed); reason != "" {
		return reason
	}
	if made.differs != nil {
		if reason := made.differs(found[0]); reason != "" {
			return reason
		}
	}
	if isRefusal(made.cause) {
		return "the service refused it"
	}
	if !c.claim(id) {
		return "another create of this run made it"
	}
	return ""
}

// existed explains why an object may have existed before this create. Of one that has appeared since, only its time can say so.
func (made creating[T]) existed(createdAt string, listed httpResponse) string {
	if _, unknown := listed.age(createdAt, made.sent); made.appeared && unknown != "" {
		return ""
	}
	return createdBefore(createdAt, made.sent, listed)
}

// isNamed is isAsked for responses to writes of objects that users name. A response without the name is accepted, because some
// services return only an ID.
func isNamed(kind, key, asked, got string) error {
	if asked == got || got == "" {
		return nil
	}
	return fmt.Errorf("the response is about another %s: its %s is %q, not %q", kind, key, got, asked)
}

// isCreated is isNamed for the response to a create, which has an ID at least.
func isCreated(kind, key, asked, id, got string) error {
	if err := hasID(kind, id); err != nil {
		return err
	}
	return isNamed(kind, key, asked, got)
}
