package deployment_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// canary is the value of a secret, which the service echoes in every response.
const canary = "canary-5f0c&<\"'"

// quoted is the canary encoded in a JSON string.
const quoted = `canary-5f0c&<\"'`

func expectNoCanary(t *testing.T, diags []*tfprotov6.Diagnostic) {
	t.Helper()
	if strings.Contains(told(diags), "canary") {
		t.Errorf("the diagnostics contain a secret: %s", told(diags))
	}
}

// TestAccRefused_attributes expects every entry of a 422 at its attribute.
func TestAccRefused_attributes(t *testing.T) {
	t.Parallel()
	const body = `{"detail": [
		{"loc": ["body", "name"], "msg": "too long", "type": "string_too_long"},
		{"loc": ["body", "source_config", "resource_spec", "volumes", 1, "name"], "msg": "no DNS label", "type": "value_error"},
		{"loc": ["body", "source_revision_config", "image_uri"], "msg": "no image", "type": "value_error", "input": "` + quoted + `"},
		{"loc": ["body", "secrets", 0, "name"], "msg": "no name", "type": "value_error"},
		{"loc": ["body", "secrets", 1, "value"], "msg": "not allowed: ` + quoted + `", "type": "value_error"},
		{"loc": ["body", "secrets", 7, "value"], "msg": "of nothing sent", "type": "value_error"},
		{"loc": ["body", "something", "new"], "msg": "of a later version", "type": "missing"}]}`
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	config := imageConfig(plane, map[string]any{"secrets": map[string]string{"TOKEN": canary}})
	g.when(creation, 1, answered(http.StatusUnprocessableEntity, body))
	_, diags := d.apply(t.Context(), kept{}, config)
	wanted := []string{
		`AttributeName("name")`,
		`AttributeName("source_config").AttributeName("resource_spec").AttributeName("volumes").ElementKeyInt(1).AttributeName("name")`,
		`AttributeName("source_revision_config").AttributeName("image_uri")`,
		`AttributeName("environment").ElementKeyString("LOG_LEVEL")`,
		`AttributeName("secrets").ElementKeyString("TOKEN")`,
		"", "",
	}
	if len(diags) != len(wanted) {
		t.Fatalf("diagnostics = %[2]s, want %[1]d errors", len(wanted), told(diags))
	}
	for i, want := range wanted {
		got := ""
		if diags[i].Attribute != nil {
			got = diags[i].Attribute.String()
		}
		if got != want {
			t.Errorf("diagnostic = %[2]s, want %[1]q", want, told(diags[i:i+1]))
		}
	}
	for _, want := range []string{"body.secrets[7].value: of nothing sent", "body.something.new: of a later version"} {
		if !strings.Contains(told(diags), want) {
			t.Errorf("diagnostics = %[2]s, want %[1]q", want, told(diags))
		}
	}
	expectNoCanary(t, diags)
}

// TestAccRefused_waiting makes the service echo a secret while the provider waits for a rollout.
func TestAccRefused_waiting(t *testing.T) {
	t.Parallel()
	for name, arm := range map[string]func(*providertest.Plane, *gate){
		"status message": func(plane *providertest.Plane, _ *gate) {
			plane.Arm(rolloutFault(api.RevisionDeploying, "exited: no such token "+canary))()
		},
		"refused poll": func(_ *providertest.Plane, g *gate) {
			for _, pattern := range []string{polling, reading} {
				g.after(2, pattern, -1, answered(http.StatusForbidden, `{"detail": "no such token `+quoted+`"}`))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			d := drive(t, plane)
			arm(plane, g)
			now, diags := d.apply(t.Context(), kept{}, imageConfig(plane, map[string]any{"secrets_wo": map[string]string{"TOKEN": canary}}))
			if hasError(diags) != (name == "status message") || !strings.Contains(told(diags), "no such token ***") || now.text("id") == "" || !now.state.IsFullyKnown() {
				t.Errorf("diagnostics = %s, state = %s; want it without the secret, and a known state", told(diags), now.state)
			}
			expectNoCanary(t, diags)
		})
	}
}
