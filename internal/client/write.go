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

// creation creates an object, which it can find if the reply is lost.
type creation[T any] struct {
	Collection[T]
	request request
	// accept checks the response.
	accept func(*T) error
	// name is the value of the kind's key.
	name string
	// named reads the objects to search, if there is a shorter list than that of all objects.
	named func(context.Context) iter.Seq2[T, error]
	// match reports whether an object has exactly that name.
	match func(T) bool
	// shown returns the part of an object that is comparable with the request's body; nil if that is the object.
	shown func(T) any
	// unique means that the service refuses a second object of that name.
	unique bool
	// checked means that the caller knows which objects existed before: match refuses them, and the caller checks the response.
	checked bool
}

// create sends the request, and reports whether the object was adopted, which means found instead of returned.
//
// Unless the request was provably not processed, a failure is followed by a search for the object: for some seconds after a lost reply or a
// refusal by something in front of the service, and once after a refusal by the service itself, which may be that of a second attempt
// in between; the error then only names the object. If the search after a lost reply finds nothing, a create whose key is unique is sent
// once more: the service refuses a second object. If it remains unknown what happened, the error is an *OutcomeUnknownError.
func (n creation[T]) create(ctx context.Context) (created *T, adopted bool, err error) {
	existed, unread := n.before(ctx)
	var lost error // Of the first attempt, if this is the second.
	for {
		created, err := fetch(ctx, n.client, n.request, func(object *T) error { return n.isCreated(object, existed) })
		if err == nil {
			return created, false, nil
		}
		if lost != nil && IsConflict(err) { // The object may be that of the first attempt.
			err = lost
		}
		if isRefusal(err) && IsConflict(err) { // Its callers name the object.
			n.client.earlier.Delete(n.client.workspaceID + n.request.path)
			return nil, false, err
		}
		pauses := pausesAfter(err)
		if pauses == nil {
			return nil, false, err
		}
		found, unknown := lostCreation[T]{n, existed, unread, err}.adopt(ctx, pauses)
		if unknown == nil {
			return found, true, nil
		}
		if n.unique && lost == nil && unknown.absent && IsAmbiguous(err) && ctx.Err() == nil {
			lost = err
			continue
		}
		return nil, false, doubted(err, unknown)
	}
}

// isCreated checks that a response is the created object, and not one that existed before.
func (n creation[T]) isCreated(object *T, existed map[string]bool) error {
	if err := n.accept(object); err != nil {
		return err
	}
	id := n.id(*object)
	if isNew := n.client.claim(id) && !existed[plainID(id)]; !isNew && !n.checked {
		return fmt.Errorf("the response is about %s, which this request did not create", id)
	}
	return nil
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
	// sharedFrom is the first create to use a shared list of the objects that existed before.
	sharedFrom = 10
	// sharedTime is the lifetime of that list. An object that another client creates in that time could be taken for the result of a
	// create whose reply was lost.
	sharedTime = time.Minute
	// beforeTime limits the search, so that one without a response doesn't use up the time for the create.
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
// has created since have been claimed.
func (n creation[T]) before(ctx context.Context) (map[string]bool, error) {
	if n.checked {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, beforeTime)
	defer cancel()
	shared, _ := n.client.earlier.LoadOrStore(n.client.workspaceID+n.request.path, new(earlier))
	e := shared.(*earlier) //nolint:forcetypeassert // The map has no other values.
	if e.creates.Add(1) < sharedFrom {
		return n.ids(n.candidates(ctx))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	began := n.client.cfg.Now()
	if e.ids != nil && began.Sub(e.read) <= sharedTime {
		return e.ids, nil
	}
	ids, err := n.ids(n.List(ctx))
	if err == nil {
		e.read, e.ids = began, ids
	}
	return ids, err
}

// candidates lists the objects that may have the name.
func (n creation[T]) candidates(ctx context.Context) iter.Seq2[T, error] {
	if n.named != nil {
		return n.named(ctx)
	}
	return n.List(ctx)
}

// ids returns the IDs of all objects of a list.
func (n creation[T]) ids(list iter.Seq2[T, error]) (map[string]bool, error) {
	ids := map[string]bool{}
	for object, err := range list {
		if err != nil {
			return nil, err
		}
		ids[plainID(n.id(object))] = true
	}
	return ids, nil
}

// lostCreation is a creation that didn't return its object.
type lostCreation[T any] struct {
	creation[T]
	// existed has the IDs of objects that existed before; unread is the error of reading them.
	existed map[string]bool
	unread  error
	// cause is the error that the create returned.
	cause error
}

// adopt searches for the object, and returns it if it is provably the result of the create.
func (n lostCreation[T]) adopt(ctx context.Context, pauses []time.Duration) (*T, *OutcomeUnknownError) {
	unknown := &OutcomeUnknownError{Method: http.MethodPost, Path: n.request.path, Name: n.name, Err: n.cause, kind: n.kind}
	ctx, cancel := n.client.WithGrace(ctx)
	defer cancel()
	for _, wait := range pauses {
		_ = n.client.sleep(ctx, wait) // Its error is the context's, which is checked next.
		unknown.absent = false
		if err := ctx.Err(); err != nil {
			unknown.Reason = "looking for it was stopped"
			unknown.Err = &interruptedError{method: unknown.Method, path: unknown.Path, err: err, last: n.cause}
			return nil, unknown
		}
		all, err := Collect(Filter(n.candidates(ctx), n.match))
		found := slices.DeleteFunc(slices.Clone(all), func(object T) bool { return n.existed[plainID(n.id(object))] })
		unknown.ID, unknown.existed = "", false
		switch {
		case err != nil:
			unknown.Reason = fmt.Sprintf("looking for it failed: %v", err)
		case len(all) == 0:
			unknown.absent, unknown.Reason = true, "nothing with that "+n.kind.key+" exists yet"
		case len(found) == 0: // The list may lag behind.
			unknown.ID, unknown.existed, unknown.Reason = n.id(all[0]), true, "it existed before this request"
		default:
			unknown.ID = n.id(found[0])
			if unknown.Reason = n.client.mask(ctx, n.request)(n.doubt(found)); unknown.Reason != "" {
				return nil, unknown
			}
			return &found[0], nil
		}
	}
	return nil, unknown
}

// doubt explains why the found object may not be the result of this create; empty if it is.
func (n lostCreation[T]) doubt(found []T) string {
	switch {
	case len(found) > 1:
		return fmt.Sprintf("there are %d with that %s", len(found), n.kind.key)
	case n.unread != nil:
		return fmt.Sprintf("whether it existed before is unknown: %v", n.unread)
	}
	if reason := n.request.differs(shownBy(n.shown, found[0])); reason != "" {
		return reason
	}
	if isRefusal(n.cause) {
		return "the service refused it"
	}
	if !n.client.claim(n.id(found[0])) {
		return "another create of this run made it"
	}
	return ""
}

// update is a change that does no harm if it is sent twice. No response proves it: a read must show it.
type update[T any] struct {
	Collection[T]
	request  request
	objectID string
	// shown returns the part of an object that is comparable with the request's body; nil if that is the object.
	shown func(T) any
	// untouched reports whether an object is certainly as it was before a change of a secret; nil if that can't be determined.
	untouched func(T) bool
}

// send sends the change, and once more if reads of the object don't show it. If they never do, the error is an *OutcomeUnknownError.
func (u update[T]) send(ctx context.Context) (*T, error) {
	const attempts = 2
	for attempt := 1; ; attempt++ {
		answer, err := fetch(ctx, u.client, u.request, u.isObject(u.objectID))
		if err != nil && !MayHaveHappened(err) {
			return nil, err
		}
		pauses := proofPauses[:]
		if err != nil && !IsAmbiguous(err) {
			pauses = doubtPauses
		}
		shown, unread := u.readBack(ctx, pauses, answer != nil)
		switch {
		case shown != nil:
			return shown, nil
		case attempt < attempts && unread == nil && (err == nil || IsAmbiguous(err)):
		case err == nil:
			return nil, u.unknown(notShown(unread))
		case IsAmbiguous(err):
			return nil, u.unknown(err)
		default:
			return nil, err
		}
	}
}

func (u update[T]) unknown(err error) error {
	return &OutcomeUnknownError{Method: u.request.method, Path: u.request.path, ID: u.objectID, Err: err, kind: u.kind}
}

// notShown returns the error of a change that was accepted, perhaps only by a proxy in front of the service. unread is the error of the
// last read.
func notShown(unread error) error {
	if unread != nil {
		return fmt.Errorf("the change was accepted, but the object can't be read: %w", unread)
	}
	return errors.New("the change was accepted, but reading the object doesn't show it")
}

// readBack reads the object until it shows the change; nil if it never does. The error is that of the last read. Reads don't return
// secrets, so the response to a change of a secret must also be the object, and the change must have touched it.
func (u update[T]) readBack(ctx context.Context, pauses []time.Duration, answered bool) (last *T, err error) {
	proves := func(T) bool { return true }
	switch {
	case len(u.request.secrets) == 0:
	case !answered:
		pauses, proves = pauses[:1], func(T) bool { return false }
	case u.untouched != nil:
		proves = func(object T) bool { return !u.untouched(object) }
	}
	for _, wait := range pauses {
		if err := u.client.sleep(ctx, wait); err != nil {
			return nil, err
		}
		if last, err = u.Get(ctx, u.objectID); err == nil && u.request.differs(shownBy(u.shown, *last)) == "" && proves(*last) {
			return last, nil
		}
	}
	return nil, err
}

// errStays means that a deletion was accepted, perhaps only by a proxy in front of the service, but didn't happen.
var errStays = errors.New("the service accepted the deletion, but the object still exists: apply again in a minute")

// Delete deletes an object that should be gone after the response. No single response proves that, and repeating a deletion is harmless, so
// it is sent until the list no longer contains the object. If the object didn't exist, that is an error, unless an earlier attempt of
// this call deleted it.
func (o Deletable[T]) Delete(ctx context.Context, id string) error {
	var unsettled error
	accepted := false
	for _, wait := range doubtPauses {
		if err := o.client.sleep(ctx, wait); err != nil {
			return DeletionEnded(fmt.Errorf("%w while deleting again after: %v", err, unsettled), accepted) //nolint:errorlint // The context ended it.
		}
		_, err := o.client.do(ctx, o.request(http.MethodDelete, id))
		accepted = accepted || err == nil
		lost := err != nil && !classify(err).unprocessed
		if err != nil && !lost && !IsNotFound(err) {
			return DeletionEnded(err, accepted)
		}
		if err == nil && o.proof != "" {
			if _, gone := o.client.do(ctx, o.request(o.proof, id)); IsNotFound(gone) {
				return nil
			}
		}
		listed, unread := Find(o.List(ctx), o.hasID(id))
		switch {
		case lost && (listed != nil || unread != nil):
			return DeletionEnded(err, accepted)
		case unread != nil:
			unsettled = stillUnknown(unread)
		case listed != nil:
			unsettled = errStays
		default:
			if lost || unsettled != nil {
				err = nil // This or an earlier attempt deleted it.
			}
			return err
		}
	}
	return unsettled
}

// stillUnknown returns the error of a failed check for a missing object. It must not count as not found.
func stillUnknown(err error) error {
	return fmt.Errorf("whether it was deleted is unknown, so plan again in a minute; reading it failed: %v", err) //nolint:errorlint // See above.
}

// DeletionEnded returns the error of a deletion. If it was interrupted, the error says whether the service had accepted it.
func DeletionEnded(err error, accepted bool) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return &deletionInterruptedError{accepted, err}
}

type deletionInterruptedError struct {
	accepted bool
	err      error
}

func (e *deletionInterruptedError) Error() string {
	if e.accepted {
		return "Interrupted. The deletion was accepted and continues; run destroy again to confirm it."
	}
	return "Interrupted. The service hasn't confirmed the deletion; run destroy again."
}

func (e *deletionInterruptedError) Unwrap() error { return e.err }
