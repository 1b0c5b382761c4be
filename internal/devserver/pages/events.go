package pages

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/turns"
)

const (
	// keepAlive is the maximum time without data on a connection.
	keepAlive = 15 * time.Second
	// connectAgain is how long a browser waits before it reconnects.
	connectAgain = time.Second
)

// follower is a stream that follows a part.
type follower struct {
	feed  *feed
	wake  chan<- struct{}
	after int    // The last look that had begun before the stream came.
	sent  string // The version that the browser has; empty if it has none.
	ended bool
}

// events sends live parts of pages whenever they change, each until it no longer changes. One connection serves all tabs of
// a browser, which is limited to six per server.
func (s *Service) events(w http.ResponseWriter, r *http.Request) {
	frame, workspaceID, err := s.frame(r)
	var keys []feedKey
	var parts []livePart
	if err == nil {
		keys, parts, err = s.liveParts(r, frame, workspaceID)
	}
	var seat *turns.Seat
	if err == nil {
		if seat = s.streams.Take(workspaceID); seat == nil {
			err = form.Refuse(form.Busy, "Too many browsers follow pages of this workspace. Try again later.")
		}
	}
	if err != nil {
		s.errorPage(w, r, frame, err)
		return
	}
	defer seat.Leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if web.WriteRetry(w, connectAgain) != nil {
		return
	}
	wake := make(chan struct{}, 1)
	followers := make([]*follower, len(parts))
	for i, part := range parts {
		followers[i] = s.join(r.Context(), keys[i], part, wake)
	}
	defer func() {
		for _, f := range followers {
			s.leave(f)
		}
	}()
	readCursor(r.Header.Get("Last-Event-ID"), followers)
	stream := http.NewResponseController(w)
	for spoken := time.Now(); ; {
		wrote, over := s.sendParts(w, followers)
		if wrote {
			spoken = time.Now()
		}
		if over || stream.Flush() != nil {
			return
		}
		select {
		case <-wake:
		case <-time.After(time.Until(spoken.Add(keepAlive))):
			spoken = time.Now()
			if web.WriteComment(w) != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-seat.Lost():
			return
		case <-s.ended:
			return
		}
	}
}

// liveParts returns the parts that a request asks for.
func (s *Service) liveParts(r *http.Request, frame web.Frame, workspaceID string) (keys []feedKey, parts []livePart, _ error) {
	ids := r.URL.Query()[web.LiveParameter]
	if len(ids) == 0 || len(ids) > limits.LiveParts {
		return nil, nil, form.Missing("The URL must name 1 to %d parts of pages.", limits.LiveParts)
	}
	frame.Address = ""
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		key := feedKey{workspaceID, frame, id}
		part, err := s.newLivePart(key)
		if err != nil {
			return nil, nil, err
		}
		keys, parts = append(keys, key), append(parts, part)
	}
	return keys, parts, nil
}

// sendParts sends the parts that have changed or ended, and says whether the stream is over.
func (s *Service) sendParts(w http.ResponseWriter, followers []*follower) (wrote, over bool) {
	over = true
	for _, f := range followers {
		if f.ended {
			continue
		}
		found, is := s.feeds.read(f)
		if found.err != nil {
			return wrote, true // The browser will ask again.
		}
		if is && found.version != f.sent && found.version != "" {
			f.sent, wrote = found.version, true
			if web.WriteEvent(w, cursorOf(followers), f.feed.key.id, found.html) != nil {
				return wrote, true
			}
		}
		if is && found.ended {
			f.ended, wrote = true, true
			if web.WriteEvent(w, cursorOf(followers), web.EndEvent, []byte(f.feed.key.id)) != nil {
				return wrote, true
			}
		}
		over = over && f.ended
	}
	return wrote, over
}

// cursorOf encodes which versions a browser has.
func cursorOf(followers []*follower) string {
	versions := form.Collect(followers, func(f *follower) string { return f.sent })
	return strings.Join(versions, ",")
}

// readCursor decodes a cursor: which versions the browser has. One for other parts is ignored.
func readCursor(cursor string, followers []*follower) {
	versions := strings.Split(cursor, ",")
	if len(versions) != len(followers) {
		return
	}
	for i, version := range versions {
		followers[i].sent = version
	}
}
