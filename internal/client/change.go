package client

import (
	"context"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// change is fetch for a write other than a create, of the object with an ID. If the reply is lost, the error is an
// *OutcomeUnknownError.
func change[T any](ctx context.Context, c *Client, r request, about kind, id string, check func(*T) error) (*T, error) {
	changed, _, err := fetch(ctx, c, r, check)
	if IsAmbiguous(err) {
		return nil, &OutcomeUnknownError{Method: r.method, Path: r.path, ID: id, Err: err, kind: about}
	}
	return changed, err
}

// Shows reports whether a service has the value of a field that was sent; true if the field wasn't sent.
func Shows[T comparable](sent api.Optional[T], current *T) bool {
	value, ok := sent.Get()
	return !ok || current != nil && *current == value
}

// Change is an update of an object that does no harm if it is sent twice.
type Change[T any] struct {
	// Read reads the current object.
	Read func(context.Context) (*T, error)
	// Send sends the update.
	Send func(context.Context) (*T, error)
	// Shows reports whether an object provably has everything that the update sends. Fields that can't be read don't count.
	Shows func(T) bool
}

// Apply reads the object and sends the update. If the reply is lost, the update counts as done only if the object shows it now and
// didn't before, because a change by another client proves nothing. Otherwise it is sent once more.
func (u Change[T]) Apply(ctx context.Context, c *Client) (*T, error) {
	before, err := u.Read(ctx)
	if err != nil {
		return nil, err
	}
	const attempts = 2
	for attempt := 1; ; attempt++ {
		updated, err := u.Send(ctx)
		if !IsAmbiguous(err) {
			return updated, err
		}
		after, unread := u.Read(ctx)
		if unread != nil {
			return nil, err
		}
		if u.Shows(*after) && !u.Shows(*before) {
			c.cfg.Log(ctx, "the reply to a change was lost, but the change was made", nil)
			return after, nil
		}
		if attempt == attempts {
			return nil, err
		}
	}
}
