package devserver

import (
	"context"
	"os"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
)

// upkeepTime is how often the server deletes what is due.
const upkeepTime = time.Minute

// Maintain deletes the rest of deleted projects, traces older than their retention, and attachments of requests that never finished, returns
// free space to the file system, and places runs that an interrupted request has left. It does so in short steps, between which requests are
// served.
func (s *Server) Maintain(ctx context.Context) error {
	if err := repeat(ctx, s.rest.Store.Sweep); err != nil {
		return err
	}
	if s.cfg.Retain > 0 {
		if err := s.rest.Store.Expire(ctx, s.keptSince); err != nil {
			return err
		}
	}
	if err := s.tracing.SweepAttachments(ctx); err != nil {
		return err
	}
	if err := repeat(ctx, s.rest.Store.GiveBack); err != nil {
		return err
	}
	return repeat(ctx, func(ctx context.Context) (bool, error) { return s.tracing.Settle(ctx, "") })
}

// repeat does steps until there are no more.
func repeat(ctx context.Context, step func(context.Context) (more bool, err error)) error {
	for more := true; more; {
		var err error
		if more, err = step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// keptSince returns the time since which the traces of a project are kept.
func (s *Server) keptSince(p store.Project) *time.Time {
	since := s.rest.Now().Add(-session.KeptFor(p, s.cfg.Retain))
	return &since
}

// keepUp calls Maintain when there is something to delete, and regularly, until ctx ends.
func (s *Server) keepUp(ctx context.Context) {
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

// awaitSpace tries to write regularly while the disk is full, until ctx ends: without clients, nothing else would find out that there is space.
func (s *Server) awaitSpace(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(limits.FullTime):
		}
		if s.rest.Store.Full() && s.rest.Store.TryWrite(ctx) == nil {
			s.cfg.Logger.Info("there is space on the disk again")
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

// Copied is the progress of a copy.
type Copied = store.Copied

// Copy copies a data file of a server that isn't running into a PostgreSQL database without rows. A copy that was interrupted goes on where
// it was. Secrets stay encrypted with the key in the file sealKey; empty: next to the data file.
func Copy(ctx context.Context, path, address, sealKey string, progress func(Copied)) error {
	return store.Copy(ctx, path, address, func() error {
		// Like a server that starts: it migrates the file, and checks that the key decrypts what is encrypted in it.
		db, _, err := opened(ctx, Config{Data: path, SealKey: sealKey, NoSearchIndex: true})
		if err != nil {
			return err
		}
		return db.Close()
	}, progress)
}

// Backup copies a data file, which a server may use at the same time, into one that must not exist, and the file of a key, unless that is empty.
func Backup(ctx context.Context, path, to, key string) error {
	return store.Backup(ctx, path, to, key)
}

// Check returns an error if a data file is damaged. A server may use it at the same time.
func Check(ctx context.Context, path string) error { return store.Check(ctx, path) }

// Stats reports what takes how much in a data file. A server may use it at the same time.
func Stats(ctx context.Context, path string) (store.Stats, error) { return store.ReadStats(ctx, path) }
