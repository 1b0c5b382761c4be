package devserver

import (
	"context"
	"os"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// upkeepTime is how often the server looks for what is to be deleted.
const upkeepTime = time.Minute

// Maintain deletes the rest of deleted projects, and then returns free space to the file system. It does so in short steps,
// between which requests are served.
func (s *Server) Maintain(ctx context.Context) error {
	for _, step := range []func(context.Context) (more bool, err error){s.rest.Store.Sweep, s.rest.Store.GiveBack} {
		for more := true; more; {
			var err error
			if more, err = step(ctx); err != nil {
				return err
			}
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

// Compact rewrites the data file of a server that isn't running, without its free space. It returns the size of the file before and after.
func Compact(ctx context.Context, path string) (before, after int64, err error) {
	size := func() (n int64) {
		info, err := os.Stat(path)
		if err == nil {
			n = info.Size()
		}
		return n
	}
	before = size()
	err = store.Compact(ctx, path)
	return before, size(), err
}
