package tracing_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestSearch finds texts in values, but not in names, however a client has encoded them.
func TestSearch(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	said := map[string]string{
		"plain":   `{"question": "Where is my <b>Refund</b> & voucher?", "n": 42.5, "sure": true}`,
		"escaped": `{"question": "Gr\u00fc\u00dfe \/ \u003cb\u003eRefund\u003c/b\u003e \ud83d\ude00", "path": "C:\\temp"}`,
		"raw":     `{"deep": [[{"answer": "Grüße / \"really\" 😀"}]]}`,
		// SQLite can read JSON nested up to 1,000 levels deep, and this server accepts deeper JSON.
		"deepest": `{"deep": ` + strings.Repeat("[", 1500) + `"refund"` + strings.Repeat("]", 1500) + `}`,
	}
	for name, inputs := range said {
		run := devservertest.RootRun(object{"name": name})
		p.Do(http.MethodPost, "/runs/batch", `{"post": [{"id": "`+run["id"].(string)+`", "trace_id": "`+run["id"].(string)+
			`", "dotted_order": "`+run["dotted_order"].(string)+`", "name": "`+name+`", "run_type": "chain", "inputs": `+inputs+`}]}`).Want(http.StatusAccepted)
	}
	later := devservertest.RootRun(object{"name": "patched"})
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{later}}).Want(http.StatusAccepted)
	p.Do(http.MethodPatch, "/runs/"+later["id"].(string), object{"outputs": object{"answer": "By Friday"}, "error": "Too late"}).Want(http.StatusAccepted)
	for text, want := range map[string][]string{
		"refund":      {"deepest", "escaped", "plain"},
		"<b>REFUND":   {"escaped", "plain"},
		"</b> & v":    {"plain"},
		"Grüße / ":    {"escaped", "raw"},
		"😀":           {"escaped", "raw"},
		"ß":           {"escaped", "raw"},
		`\"really\"`:  {"raw"},
		`c:\\temp`:    {"escaped"},
		"42.5":        {"plain"},
		"friday":      {"patched"},
		"too late":    {"patched"},
		"chain":       {"deepest", "escaped", "patched", "plain", "raw"},
		"question":    {}, // A name, not a value.
		"nowhere":     {},
		"100%":        {},
		"Where_is_my": {},
	} {
		page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"filter": `search("` + text + `")`}).Want(http.StatusOK))
		if diff := cmp.Diff(want, names(t, page["runs"])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	// A query that reads every body skips those that can't be read.
	page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"reference_example": []any{runB}}).Want(http.StatusOK))
	if found := names(t, page["runs"]); len(found) > 0 {
		t.Errorf("runs of an unknown example = %v, want none", found)
	}
}
