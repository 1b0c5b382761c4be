package framework_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// TestTaken expects the import block on separate lines, which CLIs don't wrap, with the workspace if it isn't the provider's.
func TestTaken(t *testing.T) {
	t.Parallel()
	c, err := client.New(client.Config{BaseURL: "https://agents.example.com", Dialect: api.Neutral, WorkspaceID: "w1"})
	if err != nil {
		t.Fatal(err)
	}
	p := framework.ProviderData{Client: c}
	for workspace, want := range map[types.String]string{
		types.StringNull():      `"d1"`,
		types.StringValue("w1"): `"d1"`,
		types.StringValue("w2"): `"w2/d1"`,
	} {
		got := p.Taken(workspace, "d1", "deployment", "name")
		block := "\n\n    import {\n      to = ADDRESS\n      id = " + want + "\n    }\n\n"
		for _, part := range []string{block, "add a `moved` block", "choose another name", "create_before_destroy"} {
			if !strings.Contains(got, part) {
				t.Errorf("workspace %s: got %q, want %q in it", workspace, got, part)
			}
		}
	}
}

// TestFound expects the import block of the object that a failed create may have made, if it found one.
func TestFound(t *testing.T) {
	t.Parallel()
	c, err := client.New(client.Config{BaseURL: "https://agents.example.com", Dialect: api.Neutral})
	if err != nil {
		t.Fatal(err)
	}
	p := framework.ProviderData{Client: c}
	qualified := func(id string) string { return "bot/" + id }
	for want, test := range map[string]struct {
		err      error
		importID func(string) string
	}{
		"":         {&client.OutcomeUnknownError{Name: "chat"}, qualified},
		`"d1"`:     {&client.OutcomeUnknownError{Name: "chat", ID: "d1"}, nil},
		`"d2"`:     {&client.Error{Status: 403, FoundID: "d2"}, nil},
		`"bot/d3"`: {&client.OutcomeUnknownError{Name: "chat", ID: "d3"}, qualified},
	} {
		got := p.Found(types.StringNull(), test.err, test.importID)
		if want == "" && got != "" || !strings.Contains(got, want) || want != "" && !strings.HasPrefix(got, "If it is yours, add this") {
			t.Errorf("got %q, want %s in an import block", got, want)
		}
	}
}
