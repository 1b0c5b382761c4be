package client

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// sendChange is fetch for a write other than a create, of the object with an ID. If the reply is lost, the error is an
// *OutcomeUnknownError.
func sendChange[T any](ctx context.Context, c *Client, r request, about kind, id string, check func(*T) error) (*T, error) {
	changed, _, err := fetch(ctx, c, r, check)
	if IsAmbiguous(err) {
		err = &OutcomeUnknownError{Method: r.method, Path: r.path, ID: id, Err: err, kind: about}
	}
	return changed, err
}

// changing is a change that does no harm if it is sent twice. It has happened when the service shows it: no response counts by itself.
type changing[T any] struct {
	request request
	kind    kind
	id      string
	// check checks that a response is the object.
	check func(*T) error
	read  func(context.Context) (*T, error)
	// shown returns the part of an object that is comparable with the request's body; nil if that is the object.
	shown func(T) any
	// untouched reports whether an object is certainly as it was before a change of a secret; nil if nothing tells.
	untouched func(T) bool
}

// prove sends the change, and once more if reads of the object don't show it.
func (w changing[T]) prove(ctx context.Context, c *Client) (*T, error) {
	const attempts = 2
	for attempt := 1; ; attempt++ {
		answer, err := sendChange(ctx, c, w.request, w.kind, w.id, w.check)
		if err != nil && !MayHaveHappened(err) {
			return nil, err
		}
		pauses := proofPauses[:]
		if err != nil && !IsAmbiguous(err) {
			pauses = doubtPauses
		}
		now, unread := w.look(ctx, c, pauses, answer != nil)
		switch {
		case now != nil:
			return now, nil
		case attempt < attempts && unread == nil && (err == nil || IsAmbiguous(err)):
		case err == nil:
			return nil, &OutcomeUnknownError{Method: w.request.method, Path: w.request.path, ID: w.id, Err: notShown(unread), kind: w.kind}
		default:
			return nil, err
		}
	}
}

// notShown is the error of a change that was accepted, perhaps by a proxy in front of the service. unread is that of the last read.
func notShown(unread error) error {
	if unread != nil {
		return fmt.Errorf("the change was accepted, but the object can't be read: %w", unread)
	}
	return errors.New("the change was accepted, but reading the object doesn't show it")
}

// look reads the object until it proves the change, and returns nil if it doesn't. The error is that of the last read. Reads don't show
// secrets, so a change that sends one must also be answered with the object, and must have touched it.
func (w changing[T]) look(ctx context.Context, c *Client, pauses []time.Duration, answered bool) (last *T, err error) {
	proves := func(T) bool { return true }
	switch {
	case len(w.request.secrets) == 0:
	case !answered:
		pauses, proves = pauses[:1], func(T) bool { return false }
	case w.untouched != nil:
		proves = func(object T) bool { return !w.untouched(object) }
	}
	for _, wait := range pauses {
		if wait > 0 {
			if err := c.cfg.Sleep(ctx, wait); err != nil {
				return nil, err
			}
		}
		if last, err = w.read(ctx); err == nil && w.request.differs(shownBy(w.shown, *last)) == "" && proves(*last) {
			return last, nil
		}
	}
	return nil, err
}
