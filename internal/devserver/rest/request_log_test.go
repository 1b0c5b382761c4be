package rest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ body, want string }{
		"no body":        {``, ``},
		"no JSON":        {`{"secrets":[{"name":"A","value":"hush"`, ``},
		"no object":      {`["hush"]`, ``},
		"too large":      {`{"name":"` + strings.Repeat("x", limits.LoggedBody) + `"}`, ``},
		"nothing secret": {`{"name":"<a>","n":1.50}`, `{"n":1.50,"name":"<a>"}`},
		"null":           {`{"secrets":null}`, `{"secrets":null}`},
		"values": {
			`{"secrets":[{"name":"A","value":"hush"},{"value":"hush"}]}`,
			`{"secrets":[{"name":"A","value":"***"},{"value":"***"}]}`,
		},
		"client secret":       {`{"client_id":"a","client_secret":"hush"}`, `{"client_id":"a","client_secret":"***"}`},
		"references":          {`{"secret_references":[{"name":"A"}]}`, `{"secret_references":[{"name":"A"}]}`},
		"misspelt references": {`{"secretReferences":[{"value":"hush"}]}`, `{"secretReferences":"***"}`},
		"no client secret":    {`{"client_secret":null}`, `{"client_secret":null}`},
		"misspelt secret":     {`{"clientSecret":["hush"]}`, `{"clientSecret":"***"}`},
		"misspelt":            {`{"Secrets":[{"name":"A","Value":"hush"}]}`, `{"Secrets":[{"Value":"***","name":"A"}]}`},
		"a map instead":       {`{"secrets":{"A":"hush"}}`, `{"secrets":"***"}`},
		"values of no name":   {`{"secrets":["hush",["hush"]]}`, `{"secrets":["***","***"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.TrimSuffix(string(redact([]byte(tc.body))), "\n")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	var q RequestLog
	for i := range limits.LoggedRequests + 1 {
		q.add(Request{ID: fmt.Sprint(i)})
	}
	seen := q.List()
	if len(seen) > limits.LoggedRequests {
		t.Errorf("%d requests are kept, want at most %d", len(seen), limits.LoggedRequests)
	}
	if last := seen[len(seen)-1].ID; last != fmt.Sprint(limits.LoggedRequests) {
		t.Errorf("the newest request is %s, want %d", last, limits.LoggedRequests)
	}
	if seen[0].ID == "0" {
		t.Error("the oldest request is still there")
	}
}
