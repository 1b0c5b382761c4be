package store

import (
	"context"
	"sync/atomic"
	"time"
)

// The search index narrows search(…), a substring of any value in the body of a run, to the runs whose bodies have the
// grams of the text: hashes of three bytes, so that texts in any script and punctuation are found. What it finds are
// candidates, whose bodies are then searched, and it may lag behind: a run that isn't indexed is a candidate.
//
// Consecutive runs are a block. For each gram, a block has the set of its runs that contain it. A block grows with the
// runs that arrive, a slice at a time, so that a million runs are in few blocks and a search reads few rows, all of the
// same kind. Both engines have the same rows.
//
// The engines' own indexes cost more. Measured with 40,000 runs of two comments of the Go source code each, indexing took
// 27 µs and 277 bytes a run; a trigram index of FTS5 took 204 µs and 619 bytes without positions, and deleting 20,000
// rows of a contentless one took 5 s and wrote 65 MB. A GIN index of PostgreSQL took 2.3 KB a run.

const (
	// blockRuns is the number of runs in a block. With larger blocks, a search reads fewer rows, and adding a slice to a
	// block writes more.
	blockRuns = 8 << 10
	// addedRuns is the number of runs that are added to a block at once: a slice.
	addedRuns = 2 << 10
	// delayedRuns is how many of the newest runs aren't indexed yet: by the time that as many have followed a run, it is
	// usually complete.
	delayedRuns = 1 << 10
	// maxUnindexedBytes is how many bytes of bodies may arrive before less than a slice is indexed, and delayedLong is how
	// many of the newest runs aren't indexed then: searching long bodies without the index takes long.
	maxUnindexedBytes, delayedLong = 16 << 20, 128
	// wakeEvery is how many runs arrive or change before the indexer wakes up.
	wakeEvery = 1 << 10
	// maxChanged is how many runs may have changed since they were indexed. They are candidates of every search.
	maxChanged = 1 << 10
	// idleTime is how long the indexer sleeps if there is nothing to do, or after an error such as a full disk.
	idleTime = 5 * time.Minute
	// indexing is the name of the work in leases.
	indexing = "search index"
)

// searchIndex is the state of the indexer, which builds the search index in the background so that logging runs doesn't
// wait for it. It begins with the newest runs: a file of an earlier version has many that aren't indexed.
type searchIndex struct {
	// before is the number before which changes of runs are noted, because they may be indexed.
	before atomic.Int64
	// arrived is the number of runs that have arrived or changed since the indexer was woken, and unindexedBytes the size
	// of the bodies that have arrived since it last indexed all but the newest runs.
	arrived, unindexedBytes atomic.Int64
	wake                    chan struct{}
	stop                    context.CancelFunc
	stopped                 chan struct{}
	// maxListed is how many candidates are looked up by their numbers and sorted. If there are more, it is faster to read
	// the runs in the order of the list until a page is full.
	maxListed int
}

// startIndexing starts the indexer.
func (s *Store) startIndexing(ctx context.Context) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.index = &searchIndex{wake: make(chan struct{}, 1), stop: stop, stopped: make(chan struct{}), maxListed: 32 << 10}
	s.index.unindexedBytes.Store(maxUnindexedBytes) // How many there are isn't known.
	err := s.ReadTraced(ctx, func(tx *Tx) error {
		before, err := queryOne(tx, scanNumber, "SELECT coalesce(max(through), 0) FROM search_blocks")
		s.index.before.Store(before)
		return err
	})
	go func() {
		defer close(s.index.stopped)
		if err == nil {
			s.keepIndexing(ctx)
		}
	}()
	return err
}

// StopIndexing leaves the search index as it is: texts of later runs are searched without it.
func (s *Store) StopIndexing() {
	s.index.stop()
	<-s.index.stopped
}

// notice counts runs that have arrived or changed, and the bytes of their stored bodies.
func (i *searchIndex) notice(runs, bytes int64) {
	if runs == 0 {
		return
	}
	unindexed := i.unindexedBytes.Add(bytes)
	if i.arrived.Add(runs) < wakeEvery && unindexed < maxUnindexedBytes {
		return
	}
	i.arrived.Store(0)
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// keepIndexing sleeps after each slice for a quarter of the time that it took, so that it never uses a core alone.
func (s *Store) keepIndexing(ctx context.Context) {
	for {
		began := time.Now()
		delayed, whole := int64(delayedRuns), true
		if s.index.unindexedBytes.Load() >= maxUnindexedBytes {
			delayed, whole = delayedLong, false
		}
		more, err := s.indexNext(ctx, delayed, whole)
		wake, sleep := s.index.wake, idleTime
		if s.shared {
			sleep = leaseTime // Other processes don't wake it.
		}
		if more && err == nil {
			wake, sleep = nil, time.Since(began)/4
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-time.After(sleep):
		}
	}
}
