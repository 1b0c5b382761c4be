package pages

import (
	"bytes"
	"net/http"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// lookAgain is how long it may take until a page shows what has changed.
const lookAgain = 250 * time.Millisecond

// deploymentEvents sends the timeline of a deployment whenever it has changed, until nobody looks any more.
func (s *Service) deploymentEvents(w http.ResponseWriter, r *http.Request) {
	frame, workspaceID, err := s.frame(r)
	if err != nil {
		s.errorPage(w, r, frame, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	stream := http.NewResponseController(w)
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	var sent []byte
	for {
		var now bytes.Buffer
		err := s.look(r, workspaceID, func(c *rest.Call) error {
			row, err := s.deployment(c)
			if err != nil {
				return err
			}
			view, err := s.timeline(c, frame, row)
			if err != nil {
				return err
			}
			return s.web.Timeline(&now, view)
		})
		if err != nil { // The deployment is gone, or the page.
			_ = web.WriteEvent(w, web.EndEvent, nil)
			return
		}
		if !bytes.Equal(now.Bytes(), sent) {
			sent = bytes.Clone(now.Bytes())
			if err := web.WriteEvent(w, "", sent); err != nil || stream.Flush() != nil {
				return
			}
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
