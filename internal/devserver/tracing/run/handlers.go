package run

import (
	"cmp"
	"maps"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// ViewOf returns what a call sees.
func ViewOf(c *rest.Call) View {
	return View{Tx: c.Tx, WorkspaceID: c.WorkspaceID, Base: rest.BaseURL(c.Request)}
}

// Named reads the run named by the path.
func Named(c *rest.Call) (store.Run, error) {
	return rest.Named(c, "run_id", Read)
}

// getRun returns every field.
func getRun(c *rest.Call) (rest.Answer, error) {
	row, err := runOfProject(c, "session_id")
	if err != nil {
		return rest.Answer{}, err
	}
	p := c.Params()
	fields := FieldsV1
	if p.Flag("exclude_serialized") {
		fields = maps.Clone(fields)
		fields["serialized"] = nothing
	}
	p.Ignore("start_time", "exclude_s3_stored_attributes", "include_messages")
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	return First(Answers(ViewOf(c), []store.Run{row}, fields, Subtree))
}

// First answers with the first of some runs.
func First(runs []map[string]any, err error) (rest.Answer, error) {
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(runs[0]), nil
}

// runOfProject is Named with a parameter that must name the run's project if it is given.
func runOfProject(c *rest.Call, parameter string) (store.Run, error) {
	p := c.Params()
	projectID := p.ID(parameter)
	if err := p.Err(); err != nil {
		return store.Run{}, err
	}
	row, err := Named(c)
	if err == nil && projectID != nil && *projectID != row.ProjectID {
		return row, NotFound()
	}
	return row, err
}

// getRunV2 returns only the ID unless fields are selected. Figures are those of the run alone, which is the default of this
// version; the other option doesn't exist here.
func getRunV2(c *rest.Call) (rest.Answer, error) {
	row, err := runOfProject(c, "project_id")
	if err != nil {
		return rest.Answer{}, err
	}
	p := c.Params()
	fields := ReadSelects(p)
	p.Ignore("start_time") // The service can use it to find runs faster.
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	return First(AnswersV2(ViewOf(c), []store.Run{row}, fields, Itself))
}

// ReadSelects returns the requested fields, each once.
func ReadSelects(p *rest.Params) map[string]Field {
	fields, unknown := Chosen(append(p.Values("selects"), "ID"), FieldsV2)
	if len(unknown) > 0 {
		p.Report(NotFields(rest.InQuery("selects"), unknown, FieldsV2))
	}
	return fields
}

// getRunURL returns the URL of the run's page.
func getRunURL(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	traceID := p.ID("trace_id")
	p.Ignore("start_time")
	row, err := runOfProject(c, "project_id")
	if err == nil && traceID != nil && *traceID != row.TraceID {
		err = NotFound()
	}
	if err := cmp.Or(p.Err(), err); err != nil {
		return rest.Answer{}, err
	}
	a := runAnswer{row: row}
	return rest.Answer{Status: http.StatusOK, Body: map[string]string{"url": rest.BaseURL(c.Request) + a.appPath()}}, nil
}

// CursorOf returns the cursor of a query. Some clients send the body of the first page with every page, and the cursor in
// the path.
func CursorOf(c *rest.Call, said *string) string {
	if inPath := c.Params().Text("cursor"); api.OrEmpty(inPath) != "" {
		return *inPath
	}
	return api.OrEmpty(said)
}

// PageAnswer returns a page, as an event stream to clients that accept nothing else.
func PageAnswer(c *rest.Call, page ItemsAnswer) rest.Answer {
	if !strings.Contains(c.Request.Header.Get("Accept"), "text/event-stream") {
		return rest.OK(page.Body())
	}
	return rest.Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: rest.Values{Content: pageStream(page)}}
}
