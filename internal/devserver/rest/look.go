package rest

import (
	"context"
	"errors"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// ReadTraced runs read-only work on traced data, which may take long, concurrently with other work. It ends when ctx does, or after QueryTime.
func (s *Server) ReadTraced(ctx context.Context, workspaceID string, work func(*Call) error) error {
	return s.readTracedFor(ctx, workspaceID, workspaceID, work)
}

// readTracedFor is ReadTraced for a request that counts for another workspace.
func (s *Server) readTracedFor(ctx context.Context, ownerID, workspaceID string, work func(*Call) error) error {
	return s.readAdvanced(ctx, workspaceID, func(ctx context.Context, work func(*store.Tx) error) error {
		return s.Store.ReadLong(ctx, ownerID, work)
	}, work)
}

// owner finds the workspace for which a request counts.
func (s *Server) owner(ctx context.Context, x *exchange) (ownerID string, err error) {
	if x.endpoint.Owner == nil {
		return x.workspaceID, nil
	}
	err = s.Read(ctx, x.workspaceID, func(c *Call) error {
		c.Request = x.request
		ownerID, err = x.endpoint.Owner(c)
		return err
	})
	return ownerID, err
}

// Read is ReadTraced for work on the control plane's data, which is short. It never waits for ReadTraced.
func (s *Server) Read(ctx context.Context, workspaceID string, work func(*Call) error) error {
	return s.readAdvanced(ctx, workspaceID, s.Store.Read, work)
}

// readAdvanced runs work on the state at the current time, or at the time at which advancing began.
func (s *Server) readAdvanced(
	ctx context.Context, workspaceID string, read func(context.Context, func(*store.Tx) error) error, work func(*Call) error,
) error {
	limited, cancel := ctx, func() {}
	if s.QueryTime > 0 {
		limited, cancel = context.WithTimeout(ctx, s.QueryTime)
	}
	defer cancel()
	for advanced := false; ; advanced = true {
		due := false
		err := read(limited, func(tx *store.Tx) (err error) {
			now := s.Now()
			if !advanced {
				due, err = s.Due(tx, now)
			}
			if err != nil || due {
				return err
			}
			return work(s.call(tx, now, workspaceID))
		})
		switch late := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil; {
		case late && errors.Is(err, store.ErrBusy):
			return form.Refuse(form.Busy, "Too many requests are in progress. Try again later.")
		case late:
			return form.Broken("The query took more than %s. Narrow it: request fewer runs or a shorter time range.",
				s.QueryTime)
		case err != nil || !due:
			return err
		}
		if err := s.Do(limited, workspaceID, func(*Call) error { return nil }); err != nil {
			return err
		}
	}
}

func (s *Server) call(tx *store.Tx, now time.Time, workspaceID string) *Call {
	return &Call{Tx: tx, Now: now, WorkspaceID: workspaceID, Dialect: s.Dialect}
}
