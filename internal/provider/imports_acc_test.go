package provider_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// groupImports make an object of each type that has a group of which exactly one argument is set, and return the IDs to import it by.
var groupImports = map[string]func(plane *providertest.Plane) []string{
	"agentplane_agent_connection": func(plane *providertest.Plane) []string {
		logIn(plane, false)
		var tokens []struct{ ID string }
		plane.Call("GET", "/v2/auth/tokens", nil, &tokens)
		var made struct{ ID string }
		plane.Call("POST", "/v2/auth/agents/assistant/connections", map[string]any{"oauth_token_id": tokens[0].ID}, &made)
		return []string{"assistant/" + made.ID, "assistant/provider:calendar"}
	},
	"agentplane_llm_run": func(plane *providertest.Plane) []string {
		const id = "0190d3a4-2c4e-7b5a-9d3e-5f6a7b8c9d0e"
		plane.Call("POST", "/api/v1/runs", map[string]any{
			"id": id, "session_name": "chat", "name": "smoke", "run_type": "llm", "start_time": "2026-01-01T10:00:00Z", "end_time": "2026-01-01T10:00:01Z",
			"inputs": map[string]any{"messages": []any{map[string]any{"role": "user", "content": "Hello"}}}, "error": "no answer",
		}, nil)
		var projects []struct{ ID string }
		plane.Call("GET", "/api/v1/sessions?name=chat", nil, &projects)
		return []string{projects[0].ID + "/" + id}
	},
}

// TestAccImports_groups imports objects of all types that have a group of which exactly one argument may be set: the state has exactly one
// member. The configuration that a CLI generates from it would be refused otherwise.
func TestAccImports_groups(t *testing.T) {
	t.Parallel()
	for _, construct := range provider.New("test")().Resources(t.Context()) {
		name := framework.TypeName(t.Context(), construct(), "agentplane")
		for _, group := range exactlyOne(construct()) {
			t.Run(fmt.Sprint(name, group), func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t)
				if groupImports[name] == nil {
					t.Fatal("there is no import of this type")
				}
				for _, id := range groupImports[name](plane) {
					d := plane.Follow(t, name)
					if !d.Import(id) {
						t.Fatalf("%s isn't imported: %s", id, providertest.Told(d.Diags))
					}
					var set []string
					for _, member := range group {
						if d.Attributes()[member] != nil {
							set = append(set, member)
						}
					}
					if len(set) != 1 {
						t.Errorf("the import of %s sets %v, want exactly one of %v", id, set, group)
					}
				}
			})
		}
	}
}

// exactlyOne returns the groups of which exactly one argument is set.
func exactlyOne(r resource.Resource) [][]string {
	var described resource.SchemaResponse
	r.Schema(context.Background(), resource.SchemaRequest{}, &described)
	var groups [][]string
	for _, attribute := range described.Schema.Attributes {
		text, _ := attribute.(schema.StringAttribute)
		for _, v := range text.Validators {
			if found := exactly.FindStringSubmatch(v.Description(context.Background())); found != nil {
				groups = append(groups, strings.Split(strings.ReplaceAll(found[1], " and ", ", "), ", "))
			}
		}
	}
	return groups
}

var exactly = regexp.MustCompile(`^exactly one of (.*) must be set$`)
