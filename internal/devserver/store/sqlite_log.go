package store

import "context"

const (
	// copiedPages is the number of pages in the write-ahead log, of those that aren't in the file yet, from which on they are copied into it beside
	// transactions. In a commit, which is when SQLite does it by itself, that would take up to 60 ms, and everybody would wait for it.
	copiedPages = 1000
	// mostLogPages is the length of the log from which on SQLite does it in commits after all: reads or writes have left no moment to begin the log
	// again. While a read needs old pages, the log can't begin again, and has no limit.
	mostLogPages = 16 * copiedPages
	// leftPages is how many of the pages are copied while no transaction writes, at most: the log only begins again after all have been.
	leftPages = 250
	// mostCopies is how often it is tried in a row to leave so few.
	mostCopies = 4
)

// logCopy copies the write-ahead log into the file.
type logCopy struct {
	stop context.CancelFunc
	over chan struct{}
}

// logPages are the pages of the log, and those of them that have been copied. The next transaction begins the log again if all have been, and nobody
// reads it.
type logPages struct{ all, copied int64 }

// startCopying copies the log until the copy is closed.
func (q *sqlite) startCopying(ctx context.Context, s *Store) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	q.log = &logCopy{stop: stop, over: make(chan struct{})}
	go func() {
		defer close(q.log.over)
		q.log.keepCopying(ctx, s)
	}()
}

func (c *logCopy) close() {
	c.stop()
	<-c.over
}

// keepCopying looks at the log after each transaction. Errors change nothing: a log that isn't copied is longer.
func (*logCopy) keepCopying(ctx context.Context, s *Store) {
	var tried int64 // The length of the log when it was last copied as far as possible.
	for {
		select {
		case <-s.committed:
		case <-ctx.Done():
			return
		}
		log, err := s.checkpoint(ctx, "NOOP")
		if log.all < tried {
			tried = 0 // It has begun again.
		}
		if err != nil || log.all-max(log.copied, tried) < copiedPages {
			continue
		}
		if log, err = s.copyLog(ctx); err == nil {
			tried = log.all
		}
	}
}

// copyLog copies the log beside transactions, until so little is left that they may wait for it.
func (s *Store) copyLog(ctx context.Context) (log logPages, err error) {
	for done, try := false, 0; err == nil && !done && try < mostCopies; try++ {
		if _, err = s.checkpoint(ctx, "PASSIVE"); err == nil {
			log, done, err = s.copyRest(ctx)
		}
	}
	return log, err
}

// copyRest copies what is left of the log while no transaction writes, unless that is too much.
func (s *Store) copyRest(ctx context.Context) (log logPages, done bool, err error) {
	giveBack, err := s.turn.take(ctx)
	if err != nil {
		return log, false, err
	}
	defer giveBack()
	if log, err = s.checkpoint(ctx, "NOOP"); err != nil || log.all-log.copied > leftPages {
		return log, false, err
	}
	log, err = s.checkpoint(ctx, "PASSIVE")
	return log, true, err
}

// checkpoint runs a checkpoint on a connection that doesn't write.
func (s *Store) checkpoint(ctx context.Context, mode string) (log logPages, err error) {
	var busy bool
	err = s.readers.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &log.all, &log.copied)
	return log, s.withCause(err)
}
