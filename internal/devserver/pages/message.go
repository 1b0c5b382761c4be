package pages

import (
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

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
