package devserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestNamedTenantsAreNotStored_unraced sends reads, and changes that are refused or have no content, to every route of the tracing service and some of
// the others of a server without keys, each with a tenant ID that no other request names. Nothing of these is stored; an accepted run is.
func TestNamedTenantsAreNotStored_unraced(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	var tenants []string
	routes := append(p.Undocumented(), "GET /v2/deployments", "POST /v2/deployments", "GET /v2/listeners", "POST /v2/listeners", "GET /v2/auth/providers",
		"POST /v2/auth/providers", "GET /v2/auth/tokens", "POST /v2/auth/authenticate", "GET /ui/projects", "GET /nowhere", "POST /nowhere")
	for _, route := range routes {
		method, at, _ := strings.Cut(route, " ")
		parts := strings.Split(at, "/")
		for i, part := range parts {
			if strings.HasPrefix(part, "{") {
				parts[i] = uuid.NewString()
			}
		}
		bodies := []any{nil}
		if method != http.MethodGet && method != http.MethodDelete {
			bodies = []any{"", "{", "[]", object{"name": 5, "id": "x"}}
		}
		for _, body := range bodies {
			tenants = append(tenants, uuid.NewString())
			r := p.As("X-Tenant-Id", tenants[len(tenants)-1]).Do(method, strings.Join(parts, "/"), body)
			if r.Err != nil {
				t.Errorf("%s: %v", route, r.Err)
			}
		}
	}
	for _, tenant := range tenants {
		if all := devservertest.Get[[]object](p.As("X-Tenant-Id", tenant), "/sessions"); len(all) > 0 {
			t.Fatalf("projects of a tenant that was only named = %v, want none", all)
		}
	}
	named := p.As("X-Tenant-Id", uuid.NewString())
	named.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"session_name": nil})).Want(http.StatusAccepted)
	if all := devservertest.Get[[]object](named, "/sessions"); len(all) != 1 || all[0]["name"] != "default" {
		t.Errorf("projects after a run = %v, want the default one", all)
	}
}
