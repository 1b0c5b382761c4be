package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// creating describes the object that a create makes, to recognize it if the create doesn't return it.
type creating[T any] struct {
	kind kind
	// name is the value of the kind's key, which is unique.
	name string
	// adopted, if not nil, is set if the object was found instead of returned.
	adopted *bool
	// list reads the objects to search, whole those of all names; nil if list does.
	list, whole func(context.Context) iter.Seq2[T, error]
	// match reports whether an object has exactly that name.
	match func(T) bool
	id    func(T) string
	// shown returns what is compared with the request's body; nil if that is the object.
	shown func(T) any
	// unique means that the service refuses a second object of that name.
	unique bool
	// appeared means that the caller knows which objects existed before: match refuses them, and the caller checks the response.
	appeared bool
}

// create sends a create. Unless the request was provably not processed, a failed create is followed by a search for the object: for some
// seconds after a lost reply or a refusal by something in front of the service, and once after a refusal of the service itself, which may
// be that of a second attempt in between; what it finds is then only named. If the search after a lost reply finds nothing, a create whose
// key is unique is sent once more: the service refuses a second object. made describes the object.
func create[T any](ctx context.Context, c *Client, r request, check func(*T) error, made creating[T]) (*T, error) {
	existed, unread := made.before(ctx, c, r.path)
	var lost error // Of the first attempt, if this is the second.
	for {
		created, a, err := fetch(ctx, c, r, check)
		if err == nil {
			id := made.id(*created)
			if isNew := c.claim(id) && !existed[plainID(id)]; isNew || made.appeared {
				return created, nil
			}
			err = a.failureWith(r, "the response is about "+id+", which this request did not create")
		}
		if lost != nil && IsConflict(err) { // The object may be that of the first attempt.
			err = lost
		}
		if isRefusal(err) && IsConflict(err) { // Its callers name the object.
			c.earlier.Delete(c.workspaceID + r.path)
			return nil, err
		}
		pauses := pausesAfter(err)
		if pauses == nil {
			return nil, err
		}
		found, unknown := lostCreate[T]{made, r, existed, unread, a.mask, err}.adopt(ctx, c, pauses)
		if unknown == nil {
			if made.adopted != nil {
				*made.adopted = true
			}
			return found, nil
		}
		if made.unique && lost == nil && unknown.absent && IsAmbiguous(err) && ctx.Err() == nil {
			lost = err
			continue
		}
		return nil, doubted(err, unknown)
	}
}

// pausesAfter returns the waits before each search for the object of a failed create; nil if it was provably not processed.
func pausesAfter(err error) []time.Duration {
	switch {
	case IsAmbiguous(err):
		return proofPauses[:]
	case isRefusal(err):
		return proofPauses[:1]
	case MayHaveHappened(err):
		return doubtPauses
	}
	return nil
}

// doubted returns the error of a create whose object was not found, or is not provably its own.
func doubted(err error, unknown *OutcomeUnknownError) error {
	answered, refused := errors.AsType[*Error](err)
	switch {
	case !refused || isSuccess(answered.Status) || IsAmbiguous(err):
		return unknown
	case !isRefusal(err), unknown.ID != "" && !unknown.existed:
		answered.Doubt, answered.FoundID = unknown.doubt(), unknown.ID
	}
	return err
}

const (
	// sharedFrom is the create from which on creates share a list of the objects that existed before them.
	sharedFrom = 10
	// sharedTime is how long they share it. What other clients create in that time could be taken for the result of a create whose reply
	// was lost.
	sharedTime = time.Minute
	// beforeTime limits a look-up, so that one without a response doesn't use up the time for the create.
	beforeTime = 30 * time.Second
)

// earlier is a list of the objects that existed before creates on the same path.
type earlier struct {
	creates atomic.Int64
	mu      sync.Mutex
	read    time.Time
	ids     map[string]bool
}

// before returns the IDs of the objects that exist before a create: those of its name, or a shared list of all. Objects that this process
// has created since are known: see claim.
func (made creating[T]) before(ctx context.Context, c *Client, path string) (map[string]bool, error) {
	if made.appeared {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, beforeTime)
	defer cancel()
	shared, _ := c.earlier.LoadOrStore(c.workspaceID+path, new(earlier))
	e := shared.(*earlier) //nolint:forcetypeassert // The map has no other values.
	if e.creates.Add(1) < sharedFrom {
		return made.ids(made.list(ctx))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	began := c.cfg.Now()
	if e.ids != nil && began.Sub(e.read) <= sharedTime {
		return e.ids, nil
	}
	list := made.list
	if made.whole != nil {
		list = made.whole
	}
	ids, err := made.ids(list(ctx))
	if err == nil {
		e.read, e.ids = began, ids
	}
	return ids, err
}

// ids returns the IDs of all objects of a list.
func (made creating[T]) ids(list iter.Seq2[T, error]) (map[string]bool, error) {
	ids := map[string]bool{}
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		ids[plainID(made.id(item))] = true
	}
	return ids, nil
}

// lostCreate is a create that didn't return its object.
type lostCreate[T any] struct {
	creating[T]
	request request
	// existed has the IDs of objects that existed before; unread is the error if they could not be read.
	existed map[string]bool
	unread  error
	mask    func(string) string
	// cause is the error that the create returned.
	cause error
}

// adopt finds out what became of the create.
//
// It returns the object of that name if it is provably the result of this create.
func (made lostCreate[T]) adopt(ctx context.Context, c *Client, pauses []time.Duration) (*T, *OutcomeUnknownError) {
	unknown := &OutcomeUnknownError{
		Method: http.MethodPost, Path: made.request.path, Name: made.name, Err: made.cause, kind: made.kind,
	}
	ctx, cancel := c.WithGrace(ctx)
	defer cancel()
	for _, wait := range pauses {
		if ctx.Err() == nil && wait > 0 {
			_ = c.cfg.Sleep(ctx, wait) // Its error is the context's, which is checked next.
		}
		unknown.absent = false
		if err := ctx.Err(); err != nil {
			unknown.Reason = "looking for it was stopped"
			unknown.Err = &interruptedError{method: unknown.Method, path: unknown.Path, err: err, last: made.cause}
			return nil, unknown
		}
		all, err := Collect(Filter(made.list(ctx), made.match))
		found := slices.DeleteFunc(slices.Clone(all), func(item T) bool { return made.existed[plainID(made.id(item))] })
		unknown.ID, unknown.existed = "", false
		switch {
		case err != nil:
			unknown.Reason = fmt.Sprintf("looking for it failed: %v", err)
		case len(all) == 0:
			unknown.absent, unknown.Reason = true, "nothing with that "+made.kind.key+" exists yet"
		case len(found) == 0: // The list may lag behind.
			unknown.ID, unknown.existed, unknown.Reason = made.id(all[0]), true, "it existed before this request"
		default:
			unknown.ID = made.id(found[0])
			if unknown.Reason = made.mask(made.doubt(c, found)); unknown.Reason != "" {
				return nil, unknown
			}
			return &found[0], nil
		}
	}
	return nil, unknown
}

// doubt explains why the found object may not be the result of this create; empty if it is.
func (made lostCreate[T]) doubt(c *Client, found []T) string {
	switch {
	case len(found) > 1:
		return fmt.Sprintf("there are %d with that %s", len(found), made.kind.key)
	case made.unread != nil:
		return fmt.Sprintf("whether it existed before is unknown: %v", made.unread)
	}
	if reason := made.request.differs(shownBy(made.shown, found[0])); reason != "" {
		return reason
	}
	if isRefusal(made.cause) {
		return "the service refused it"
	}
	if !c.claim(made.id(found[0])) {
		return "another create of this run made it"
	}
	return ""
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
