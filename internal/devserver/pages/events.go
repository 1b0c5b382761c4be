package pages

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// lookAgain is how long it may take until a page shows what has changed.
const lookAgain = 250 * time.Millisecond

// moving says that a deployment will change although nobody asks for it.
func moving(row store.Deployment) bool { return row.Latest.FinishedAt == nil || row.DueAt != nil }

// timelineEvent is the timeline of a deployment as of now.
type timelineEvent struct {
	id    string
	html  []byte
	ended bool
}

// events sends the timelines of deployments whenever they change, each until nothing moves in it any more. One connection
// serves all the tabs of a browser, which has six for a server.
func (s *Service) events(w http.ResponseWriter, r *http.Request) {
	frame, workspaceID, err := s.frame(r)
	var ids []string
	if err == nil {
		p := rest.NewParams(r)
		ids = p.RepeatedIDs(web.EventsParameter, limits.LiveDeployments)
		err = p.Err()
	}
	if err != nil {
		s.errorPage(w, r, frame, err)
		return
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	stream := http.NewResponseController(w)
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	sent := map[string][]byte{}
	for {
		var now []timelineEvent
		err := s.look(r, workspaceID, func(c *rest.Call) (err error) {
			now, err = s.timelines(c, frame, ids)
			return err
		})
		if err != nil || writeEvents(w, now, sent) != nil || stream.Flush() != nil {
			return
		}
		ids = slices.DeleteFunc(ids, func(id string) bool {
			return slices.ContainsFunc(now, func(e timelineEvent) bool { return e.id == id && e.ended })
		})
		if len(ids) == 0 {
			return
		}
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		case <-s.ended:
			return
		}
	}
}

// timelines are those of some deployments.
func (s *Service) timelines(c *rest.Call, frame web.Frame, ids []string) ([]timelineEvent, error) {
	var all []timelineEvent
	for _, id := range ids {
		row, err := c.Tx.Deployment(c.WorkspaceID, id)
		if errors.Is(err, store.ErrNotFound) {
			var html bytes.Buffer
			if err := s.web.Timeline(&html, frame, web.TimelineView{Deleted: true}); err != nil {
				return nil, err
			}
			all = append(all, timelineEvent{id: id, html: html.Bytes(), ended: true})
			continue
		}
		if err != nil {
			return nil, err
		}
		view, err := s.timeline(c, frame, row)
		if err != nil {
			return nil, err
		}
		var html bytes.Buffer
		if err := s.web.Timeline(&html, frame, view); err != nil {
			return nil, err
		}
		all = append(all, timelineEvent{id: id, html: html.Bytes(), ended: !moving(row)})
	}
	return all, nil
}

// writeEvents sends what wasn't sent yet.
func writeEvents(w http.ResponseWriter, now []timelineEvent, sent map[string][]byte) error {
	for _, e := range now {
		if !bytes.Equal(e.html, sent[e.id]) {
			sent[e.id] = e.html
			if err := web.WriteEvent(w, e.id, e.html); err != nil {
				return err
			}
		}
		if e.ended {
			if err := web.WriteEvent(w, web.EndEvent, []byte(e.id)); err != nil {
				return err
			}
		}
	}
	return nil
}
