package client

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// update is a change that does no harm if it is sent twice. No response proves it: a read must show it.
type update[T any] struct {
	collection[T]
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
		if last, err = u.get(ctx, u.objectID); err == nil && u.request.differs(shownBy(u.shown, *last)) == "" && proves(*last) {
			return last, nil
		}
	}
	return nil, err
}
