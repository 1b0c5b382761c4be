package agentconnection_test

import (
	"net/http"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// TestAccAgentProviderToken_conflict names the token that a conflict is about, where the list has it.
func TestAccAgentProviderToken_conflict(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	planned, _ := d.Plan(tokenConfig(nil))
	d.Plane.Interrupt("POST "+upserts, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		pass.ServeHTTP(discarded{http.Header{}}, r)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`{"detail": "There is one"}`))
	})(1)
	told := d.Apply(planned)
	contains(t, told, "There is one. Status: 409", `import { to = ADDRESS id = "helper/`+connections(d.Plane, "helper")[0]["id"].(string)+`" }`)
	d.Plane.Arm(devserver.Fault{Match: "POST /v2/auth/agents/{agent_id}/providers/{provider_id}/tokens", Status: 409, Detail: "Not yours"})()
	other := tokenConfig(object{"provider_id": "mail"})
	planned, _ = d.Plan(other)
	contains(t, d.Apply(planned), "Not yours. Status: 409", "Another user has already given the agent a token")
}

// TestAccAgentProviderToken_oddLists never takes an answer without information about the token for its deletion.
func TestAccAgentProviderToken_oddLists(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"array": `[]`, "null": `null`, "other agent": `{"data": [{"id": "x", "agent_id": "other", "oauth_token_id": "t"}]}`, "object": `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := drive(t, calendar(t))
			d.Make(tokenConfig(nil))
			d.Plane.Arm(devserver.Fault{Match: listing, Body: &body, Times: 10})()
			contains(t, d.Refresh(), "ERROR: Cannot read a connection of agent")
			if !d.State.Exists() {
				t.Error("the token has left the state")
			}
		})
	}
}

// discarded is a response that nobody gets.
type discarded struct{ header http.Header }

func (d discarded) Header() http.Header       { return d.header }
func (discarded) Write(p []byte) (int, error) { return len(p), nil }
func (discarded) WriteHeader(int)             {}
