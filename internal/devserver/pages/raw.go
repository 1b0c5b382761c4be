package pages

import (
	"encoding/json"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// rawRun sends all that was said of a run as JSON, of any size, or one member of it.
func (s *Service) rawRun(w http.ResponseWriter, r *http.Request) {
	frame, workspaceID, err := s.frame(r)
	var content json.RawMessage
	if err == nil {
		err = s.look(r, workspaceID, func(c *rest.Call) error {
			content, err = s.rawOf(c)
			return err
		})
	}
	if err != nil {
		web.SetHeaders(w.Header())
		s.errorPage(w, r, frame, err)
		return
	}
	web.SetHeaders(w.Header())
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(content) // An error means that nobody looks any more.
}

func (s *Service) rawOf(c *rest.Call) (json.RawMessage, error) {
	row, err := s.run(c)
	if err != nil {
		return nil, err
	}
	said, err := s.tracing.Said(c, row.ID)
	if err != nil {
		return nil, err
	}
	member := c.Request.URL.Query().Get("member")
	if member == "" {
		return rest.EncodeMembers(said), nil
	}
	value, is := said[member]
	if !is {
		return nil, rest.NewError(http.StatusNotFound, "The run says nothing of %s.", member)
	}
	return value, nil
}
