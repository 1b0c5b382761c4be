package pages

import (
	"bytes"
	"net/http"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/turns"
)

const (
	// lookAgain is the minimum time between checks for changes, and lookShare the minimum ratio of that time to the
	// duration of a check: slow pages must not keep the server busy.
	lookAgain = 250 * time.Millisecond
	lookShare = 4
	// keepAlive is the maximum time without data on a connection.
	keepAlive = 15 * time.Second
	// connectAgain is how long a browser waits before it reconnects.
	connectAgain = time.Second
)

// events sends live parts of pages whenever they change, each until it no longer changes. One connection serves all tabs of
// a browser, which is limited to six per server.
func (s *Service) events(w http.ResponseWriter, r *http.Request) {
	frame, workspaceID, err := s.frame(r)
	var parts []*livePart
	if err == nil {
		parts, err = s.liveParts(r, frame)
	}
	var seat *turns.Seat
	if err == nil {
		if seat = s.streams.Take(workspaceID); seat == nil {
			err = refusal.New(refusal.Busy, "Too many browsers follow pages of this workspace. Try again later.")
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
	stream := http.NewResponseController(w)
	spoken := time.Now()
	for left := parts; ; {
		began := time.Now()
		err := s.look(r, workspaceID, s.rest.Look, func(c *rest.Call) error { return s.lookAt(c, frame, left) })
		if err != nil {
			return
		}
		for _, part := range left {
			if !part.changed && !part.ended {
				continue
			}
			spoken = time.Now()
			if writePart(w, parts, part) != nil {
				return
			}
		}
		if time.Since(spoken) > keepAlive {
			spoken = time.Now()
			if web.WriteComment(w) != nil {
				return
			}
		}
		left = slices.DeleteFunc(slices.Clone(left), func(part *livePart) bool { return part.ended })
		if stream.Flush() != nil || len(left) == 0 {
			return
		}
		select {
		case <-time.After(max(lookAgain, lookShare*time.Since(began))):
		case <-r.Context().Done():
			return
		case <-seat.Lost():
			return
		case <-s.ended:
			return
		}
	}
}

// liveParts returns the parts that a request asks for. The last cursor says which versions the browser has.
func (s *Service) liveParts(r *http.Request, frame web.Frame) ([]*livePart, error) {
	ids := r.URL.Query()[web.LiveParameter]
	if len(ids) == 0 || len(ids) > limits.LiveParts {
		return nil, refusal.Missing("The URL must name 1 to %d parts of pages.", limits.LiveParts)
	}
	slices.Sort(ids)
	var parts []*livePart
	for _, id := range slices.Compact(ids) {
		part, err := s.newLivePart(r, frame, id)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	readCursor(r.Header.Get("Last-Event-ID"), parts)
	return parts, nil
}

// lookAt renders the parts that may have changed.
func (s *Service) lookAt(c *rest.Call, frame web.Frame, parts []*livePart) error {
	for _, part := range parts {
		part.changed = false
		if part.looked && part.stored && part.snapshot == snapshot(c) {
			continue
		}
		part.looked, part.snapshot = true, snapshot(c)
		c.Request = part.request
		render, ended, err := part.show(c, frame)
		if _, gone := rest.Refused(err, c.Dialect); gone {
			part.ended = true
			continue
		}
		if err != nil {
			return err
		}
		var html bytes.Buffer
		if err := render(s.web, &html); err != nil {
			return err
		}
		part.ended = ended
		if version := versionOf(html.Bytes()); version != part.version {
			part.changed, part.version, part.html = true, version, html.Bytes()
		}
	}
	return nil
}

// writePart sends a part that has changed or ended.
func writePart(w http.ResponseWriter, parts []*livePart, part *livePart) error {
	if part.changed {
		part.sent = part.version
		if err := web.WriteEvent(w, cursorOf(parts), part.id, part.html); err != nil {
			return err
		}
	}
	if part.ended {
		return web.WriteEvent(w, cursorOf(parts), web.EndEvent, []byte(part.id))
	}
	return nil
}
