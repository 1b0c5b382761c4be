package pages

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/turns"
)

const (
	// lookAgain is the minimum time between checks for changes, and lookShare the minimum ratio of that time to the
	// duration of a check: slow pages must not keep the server busy.
	lookAgain = 250 * time.Millisecond
	lookShare = 4
	// glancesTogether is how many live parts of the control plane are checked at the same time, one of each workspace: requests
	// have the other connections to the database.
	glancesTogether = 4
)

// feedKey is all that a live part depends on, besides what is stored and the time. Who may follow a part may therefore see
// what was rendered for others who follow it.
type feedKey struct {
	workspaceID string
	frame       web.Frame // Without an address.
	id          string
}

// feeds are the live parts that streams follow.
type feeds struct {
	glances *turns.Turns

	mu sync.Mutex
	of map[feedKey]*feed
}

func newFeeds() *feeds {
	return &feeds{glances: turns.New(glancesTogether, 1), of: map[feedKey]*feed{}}
}

// feed renders a live part once for all streams that follow it. It ends with the last of them.
type feed struct {
	key   feedKey
	part  livePart
	stop  context.CancelFunc
	done  chan struct{} // Closed when it has ended.
	again chan struct{} // Receives a value when a stream has come.

	// rendered says that the part was rendered, as of snapshot, and release that it is no longer in memory.
	rendered bool
	snapshot int64
	release  func()

	// The mutex of feeds guards what follows.
	streams map[chan<- struct{}]struct{} // Each receives a value when there is a new finding.
	looks   int                          // How many have begun.
	newest  int                          // How many had when the newest stream came.
	found   finding
}

// finding is what a feed knows after a look at the stored data.
type finding struct {
	look    int    // The number of the look.
	version string // Of the HTML; empty if there is none.
	html    []byte
	ended   bool // It will no longer change.
	err     error
}

// join makes a stream follow a part: wake receives a value when there is something to read.
func (s *Service) join(ctx context.Context, key feedKey, part livePart, wake chan<- struct{}) *follower {
	s.feeds.mu.Lock()
	defer s.feeds.mu.Unlock()
	f, known := s.feeds.of[key]
	if !known {
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
		f = &feed{
			key: key, part: part, stop: stop, done: make(chan struct{}), again: make(chan struct{}, 1), release: func() {},
			streams: map[chan<- struct{}]struct{}{},
		}
		s.feeds.of[key] = f
		go s.feed(ctx, f)
	}
	f.streams[wake], f.newest = struct{}{}, f.looks
	select {
	case f.again <- struct{}{}:
	default:
	}
	return &follower{feed: f, wake: wake, after: f.looks}
}

// leave ends what join has begun.
func (s *Service) leave(f *follower) {
	s.feeds.mu.Lock()
	delete(f.feed.streams, f.wake)
	last := len(f.feed.streams) == 0
	if last {
		s.feeds.forget(f.feed)
	}
	s.feeds.mu.Unlock()
	if last {
		f.feed.stop()
		<-f.feed.done
	}
}

func (s *feeds) forget(f *feed) {
	if s.of[f.key] == f {
		delete(s.of, f.key)
	}
}

// read returns what was found since a stream has joined: what is older may be older than its page.
func (s *feeds) read(f *follower) (finding, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f.feed.found, f.feed.found.look > f.after
}

// feed looks for changes until there are no streams, or no more changes.
func (s *Service) feed(ctx context.Context, f *feed) {
	defer close(f.done)
	defer func() { f.release() }()
	for {
		began := time.Now()
		look := s.feeds.begin(f)
		found := f.found // Nobody else changes it.
		found.err = s.lookAt(ctx, f, &found)
		if found.look = look; found.err != nil && ctx.Err() == nil {
			s.rest.Logger.Warn("a live part of a page can't be followed now", "error", found.err, "workspace_id", f.key.workspaceID)
		}
		if s.feeds.publish(f, found) {
			return
		}
		select {
		case <-time.After(max(lookAgain, lookShare*time.Since(began))):
		case <-f.again:
		case <-ctx.Done():
			return
		}
	}
}

func (s *feeds) begin(f *feed) (look int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.looks++
	return f.looks
}

// publish makes a finding readable, and says whether the feed is over. It goes on for a stream that came during the look.
func (s *feeds) publish(f *feed, found finding) (over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	over = found.err != nil || found.ended && f.newest < found.look
	news := over || f.newest >= f.found.look || found.version != f.found.version
	if f.found = found; over {
		s.forget(f)
	}
	if !news {
		return over
	}
	for wake := range f.streams {
		select {
		case wake <- struct{}{}:
		default: // It is to read already.
		}
	}
	return over
}

// lookAt renders the part of a feed if it may have changed.
func (s *Service) lookAt(ctx context.Context, f *feed, found *finding) error {
	read := s.rest.ReadTraced
	if f.part.traced {
		if f.rendered && f.snapshot == s.rest.Store.Commits() { // The time changes no traced data.
			return nil
		}
	} else {
		giveBack, err := s.feeds.glances.Take(ctx, f.key.workspaceID)
		if err != nil {
			return err
		}
		defer giveBack()
		read = s.rest.Read
	}
	var render rendering
	err := read(ctx, f.key.workspaceID, func(c *rest.Call) (err error) {
		if f.rendered && f.part.stored && f.snapshot == c.Tx.Snapshot() {
			return nil
		}
		f.snapshot, c.Request = c.Tx.Snapshot(), f.part.request.WithContext(ctx)
		frame := f.key.frame
		frame.Zone = zoneName(f.part.request.URL.Query())
		render, found.ended, err = f.part.show(c, frame)
		if _, gone := rest.Refused(err, c.Dialect); gone {
			render, found.ended, err = nil, true, nil
		}
		return err
	})
	if err != nil || render == nil {
		return err
	}
	var html bytes.Buffer
	if err := render(s.web, &html); err != nil {
		return err
	}
	release, err := s.rest.Keep(f.key.workspaceID, html.Len())
	if err != nil {
		return err
	}
	f.release()
	f.rendered, f.release = true, release
	found.version, found.html = versionOf(html.Bytes()), html.Bytes()
	return nil
}
