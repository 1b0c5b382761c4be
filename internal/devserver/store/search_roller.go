package store

import (
	"context"
	"sync/atomic"
	"time"
)

// searchIndex builds the index for the search for texts in the background, a block at a time, so that logging runs costs nothing more. The
// newest block comes first: a file of an earlier version has many that aren't indexed.
type searchIndex struct {
	// before is the number before which changes of runs are noted, because they may be indexed.
	before atomic.Int64
	// noticed is the number of runs that have arrived or changed since wake was sent, and unread the size of their bodies since the index
	// was extended.
	noticed, unread atomic.Int64
	// wake says that there may be something to do.
	wake chan struct{}
	stop context.CancelFunc
	// mostListed is how many candidates are looked up by their numbers, and sorted. If there are more, it is faster to go through the
	// runs in the order of the list until a page is full.
	mostListed int
	// apart is how many blocks of a group are searched one by one before they are merged.
	apart int
	// deleted says that there may be blocks without runs, which is looked for in each block.
	deleted atomic.Bool
	over    chan struct{}
}

const (
	// restingRuns is how many runs arrive after those of a block before it is indexed: by then, most are complete.
	restingRuns = blockRuns / 2
	// mostUnread is how many bytes of bodies may arrive before a block is indexed that is not complete, and restingLong how many runs are
	// left out then: reading long runs takes long.
	mostUnread, restingLong = 16 << 20, 128
	// wakeEvery is how many runs arrive or change before it is looked for what to index.
	wakeEvery = 1 << 10
	// mostChanged is how many runs may have changed since they were indexed, and are searched without the index.
	mostChanged = 1 << 10
	// lookAgain is how long it rests if there is nothing to do, or after an error such as a full disk: runs may have been deleted.
	lookAgain = 5 * time.Minute
	// lookForOthers is how long it rests if other processes write, which don't wake it.
	lookForOthers = leaseTime
	// indexing is the name of this work among leases.
	indexing = "search index"
	// readAtOnce is how many runs are read in one transaction.
	readAtOnce = 128
	// mostPacked is the size in bytes of the largest stored body that is read to be indexed.
	mostPacked = mostIndexed
)

// startIndexing indexes until the index is closed.
func (s *database) startIndexing(ctx context.Context) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.index = &searchIndex{wake: make(chan struct{}, 1), stop: stop, over: make(chan struct{}), mostListed: 16 * blockRuns, apart: groupBlocks / 2}
	var err error
	if !s.backend.fresh() {
		err = s.ReadTraced(ctx, func(tx *Tx) error {
			before, err := queryOne(tx, scanNumber, "SELECT coalesce(max(through), 0) FROM search_blocks")
			s.index.before.Store(before)
			s.index.unread.Store(mostUnread) // How much that is, nobody knows.
			return err
		})
	}
	go func() {
		defer close(s.index.over)
		if err == nil {
			s.keepIndexing(ctx)
		}
	}()
	return err
}

// StopIndexing implements Store.
func (s *database) StopIndexing() { s.index.close() }

func (i *searchIndex) close() {
	i.stop()
	<-i.over
}

// notice counts runs that have arrived or changed, and the bytes of their bodies as they are stored.
func (i *searchIndex) notice(runs, bytes int64) {
	if runs == 0 {
		return
	}
	unread := i.unread.Add(bytes)
	if i.noticed.Add(runs) < wakeEvery && unread < mostUnread {
		return
	}
	i.noticed.Store(0)
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// resting returns how many of the newest runs are not indexed yet, and whether only whole blocks are.
func (i *searchIndex) resting() (runs int64, whole bool) {
	if i.unread.Load() < mostUnread {
		return restingRuns, true
	}
	i.unread.Store(0)
	return restingLong, false
}

// keepIndexing rests after each block for a quarter of the time it took, so that it never takes all of a core. What it falls behind is
// searched without the index.
func (s *database) keepIndexing(ctx context.Context) {
	for {
		began := time.Now()
		more, err := s.indexNext(ctx, s.index.resting)
		if !more && err == nil {
			more, err = s.mergeNext(ctx)
		}
		wake, rest := s.index.wake, lookAgain
		if s.backend.shared() {
			rest = lookForOthers
		}
		if more && err == nil {
			wake, rest = nil, time.Since(began)/4
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-time.After(rest):
			if wake != nil {
				s.index.deleted.Store(true)
			}
		}
	}
}
