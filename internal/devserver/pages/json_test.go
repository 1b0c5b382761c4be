package pages_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestPagesAsJSON checks that every page, including error pages, is available as JSON with a client's key.
func TestPagesAsJSON(t *testing.T) {
	t.Parallel()
	s := show(t, hostile)
	data := map[string]object{}
	for name, path := range s.paths {
		r := s.As("Accept", "application/json, text/plain, */*").Do(http.MethodGet, path, nil)
		if got := r.Header.Get("Content-Type"); got != "application/json" || r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("Vary") != "Accept, Accept-Encoding" {
			t.Errorf("%s: header = %v, want those of JSON", name, r.Header)
		}
		if strings.Contains(string(r.Body), canary) {
			t.Errorf("%s contains the value of a secret", name)
		}
		data[name] = devservertest.Into[object](r)
	}
	for name, is := range map[string]struct{ want, got any }{
		"deployment": {"chat", data["deployment"]["deployment"].(object)["name"]},
		"revisions":  {2, len(data["deployment"]["timeline"].(object)["revisions"].([]any))},
		"runs":       {50, len(data["project"]["runs"].(object)["runs"].([]any))},
		"tree":       {2, len(data["trace"]["roots"].([]any)[0].(object)["children"].([]any))},
		"latency":    {4.0, data["trace"]["totals"].(object)["latency"]},
		"error":      {"no such city: " + hostile, data["failed run"]["run"].(object)["error"]},
		"nothing":    {404.0, data["nothing"]["status"]},
	} {
		devservertest.Same(t, name, is.want, is.got)
	}
	for accept, want := range map[string]string{
		"application/json": "application/json", "application/*": "application/json", "*/*": "text/html; charset=utf-8", "": "text/html; charset=utf-8",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "text/html; charset=utf-8",
		"application/json;q=0.5, text/html":                               "text/html; charset=utf-8", "application/json, text/html;q=0.9": "application/json",
		"application/json;q=0, */*": "text/html; charset=utf-8",
	} {
		if got := s.As("Accept", accept).Do(http.MethodGet, "/ui/deployments", nil).Want(http.StatusOK).Header.Get("Content-Type"); got != want {
			t.Errorf("Accept %q: Content-Type = %s, want %s", accept, got, want)
		}
	}
}

// asJSON has some of the fields of pages.
func asJSON[T any](p *plane, path string) (view T) {
	p.T.Helper()
	if err := json.Unmarshal(p.As("Accept", "application/json").Do(http.MethodGet, path, nil).Want(http.StatusOK).Body, &view); err != nil {
		p.T.Fatal(err)
	}
	return view
}

// TestJSONCommand checks that the command on a page returns the page as JSON with a client's key.
func TestJSONCommand(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{
		{Value: "both", Workspaces: []string{devservertest.WorkspaceA, devservertest.WorkspaceB}},
	}}).As("X-Api-Key", "both")
	base := "/ui/workspaces/" + devservertest.WorkspaceB
	page := read(p, base+"/deployments?name_contains=it's")
	want := `curl -H "X-Api-Key: $AGENTPLANE_API_KEY" -H 'Accept: application/json' '` + p.Web.URL + base + `/deployments?name_contains=it'\''s'`
	if !strings.Contains(page, want) {
		t.Errorf("the page doesn't contain the command %s", want)
	}
	wrong := p.As("Accept", "application/json", "X-Api-Key", "another").Do(http.MethodGet, base+"/deployments", nil).Want(http.StatusUnauthorized)
	var said struct{ Status int }
	if err := json.Unmarshal(wrong.Body, &said); err != nil || said.Status != http.StatusUnauthorized {
		t.Errorf("body with a wrong key = %s (%v), want status 401", wrong.Body, err)
	}
	choice := devservertest.Into[object](p.As("Accept", "application/json", "X-Api-Key", "both").Do(http.MethodGet, "/ui/deployments", nil))
	if got := len(choice["workspaces"].([]any)); got != 2 {
		t.Errorf("%d workspaces, want 2", got)
	}
}
