package pages

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// rawRun sends everything that was logged about a run as JSON of any size, or one member of it. The response has the size
// of the stored data, and is streamed.
func (s *Service) rawRun(w http.ResponseWriter, r *http.Request) {
	frame, workspaceID, err := s.frame(r)
	var said map[string]json.RawMessage
	release := func() {}
	if err == nil {
		err = s.look(r, workspaceID, s.rest.ReadTraced, func(c *rest.Call) error {
			var err error
			if _, said, err = s.loggedRun(c); err == nil {
				release, err = s.rest.Hold(workspaceID, int(rawjson.MembersSize(said)))
			}
			return err
		})
	}
	defer func() { release() }()
	member := r.URL.Query().Get("member")
	value, is := said[member]
	if err == nil && member != "" && !is {
		err = form.Missing("The run has no %s.", member)
	}
	if err != nil {
		s.errorPage(w, r, frame, err)
		return
	}
	web.SetJSONHeaders(w.Header())
	if member != "" {
		_, _ = w.Write(value) // An error means that the client is gone.
		return
	}
	_ = rawjson.WriteMembers(w, said)
}

// showMessage shows one message of a run, which the page of the run may only name.
func (s *Service) showMessage(c *rest.Call, frame web.Frame) (web.View, error) {
	row, said, err := s.loggedRun(c)
	if err != nil {
		return nil, err
	}
	query := c.Request.URL.Query()
	side := document.Inputs
	if query.Get("side") == document.Outputs.String() {
		side = document.Outputs
	}
	found, _ := documentOf(said[side.String()], side)
	number, err := strconv.Atoi(query.Get("n"))
	if err != nil || number < 1 || number > len(found.Messages) {
		return nil, form.Missing("The %s of the run have no such message.", side)
	}
	view := web.MessageView{
		Frame: frame, RunID: row.ID, TraceID: row.TraceID, RunName: row.Name, Side: side.String(),
		Number: int64(number), Count: int64(len(found.Messages)), Message: found.Messages[number-1],
	}
	return view, nil
}
