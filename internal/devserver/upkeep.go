package devserver

import (
	"context"
	"time"
)

// upkeepTime is how often the server looks for what is to be deleted.
const upkeepTime = time.Minute

// Maintain deletes the rest of deleted projects. It does so in short steps, between which requests are served.
func (s *Server) Maintain(ctx context.Context) error {
	for more := true; more; {
		var err error
		if more, err = s.rest.Store.Sweep(ctx); err != nil {
			return err
		}
	}
	return nil
}

// keepUp calls Maintain when there is something to delete, and regularly, until ctx ends.
func (s *Server) keepUp(ctx context.Context) {
	defer close(s.kept)
	for {
		if err := s.Maintain(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Logger.Warn("deleting in the background failed and will be tried again", "error", err, "after", upkeepTime)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.rest.Store.Marked():
		case <-time.After(upkeepTime):
		}
	}
}
