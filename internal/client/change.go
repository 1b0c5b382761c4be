package client

import (
	"context"
	"errors"
	"fmt"
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
	// shows reports whether an object has everything of the change that can be read.
	shows func(T) bool
	// hides reports whether an object doesn't show a part of the change: only a response proves that, which is the object and doesn't show
	// that part either. Nil means that objects show all of it.
	hides func(T) bool
}

// prove sends the change, and once more if reads of the object don't show it.
func (w changing[T]) prove(ctx context.Context, c *Client) (*T, error) {
	const attempts = 2
	for attempt := 1; ; attempt++ {
		answer, err := sendChange(ctx, c, w.request, w.kind, w.id, w.check)
		if err != nil && !MayHaveHappened(err) {
			return nil, err
		}
		now, unread := w.look(ctx, c, answer)
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

// look reads the object until it proves the change, together with the response if there is one, and returns nil if it doesn't. The error
// is that of the last read.
func (w changing[T]) look(ctx context.Context, c *Client, answer *T) (last *T, err error) {
	answered := answer != nil && w.shows(*answer)
	for _, wait := range adoptPauses {
		if wait > 0 {
			if err := c.cfg.Sleep(ctx, wait); err != nil {
				return nil, err
			}
		}
		if last, err = w.read(ctx); err == nil && w.shows(*last) && (w.hides == nil || !w.hides(*last) || answered && w.hides(*answer)) {
			return last, nil
		}
	}
	if err == nil && answered && w.shows(*last) { // Only the response shows a part.
		return last, nil
	}
	return nil, err
}
