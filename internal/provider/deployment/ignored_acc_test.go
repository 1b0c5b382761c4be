package deployment_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccDrift_environment removes a variable that the refresh has shown: nobody changed anything after the plan.
func TestAccDrift_environment(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	wanted := imageConfig(plane, map[string]any{"environment": map[string]string{"LOG_LEVEL": "info"}})
	now := d.refreshed(d.made(kept{}, wanted))
	patchedByOther(plane, map[string]any{"secrets": []map[string]string{{"name": "LOG_LEVEL", "value": "debug"}, {"name": "THEIRS", "value": "1"}}})()
	d.made(d.refreshed(now), wanted)
}

// TestAccIgnoredChanges changes a secret while another user's image and variables are ignored. As core does, it plans with the values of
// the state and applies with the configuration. The deployment then has what was planned.
func TestAccIgnoredChanges(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	config := func(secret, image string, environment any) map[string]any {
		return imageConfig(plane, map[string]any{
			"secrets_wo": map[string]string{"S": secret}, "environment": environment,
			"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:" + image},
		})
	}
	ours, theirs := map[string]string{"LOG_LEVEL": "info"}, map[string]string{"LOG_LEVEL": "debug"}
	now := d.refreshed(d.made(kept{}, config("1", "ours", ours)))
	patchedByOther(plane, map[string]any{
		"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:theirs"},
		"secrets":                []map[string]string{{"name": "LOG_LEVEL", "value": "debug"}, {"name": "S", "value": "1"}},
	})()
	now = d.refreshed(now)
	planned, diags := d.plan(now, config("2", "theirs", theirs))
	if len(diags) > 0 {
		t.Fatal(told(diags))
	}
	applied, err := d.server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: driven, PriorState: d.encoded(now.state), PlannedState: d.encoded(planned.state),
		Config: d.document(config("2", "ours", ours)), PlannedPrivate: planned.private, PlannedIdentity: planned.identity,
	})
	if err != nil || len(applied.Diagnostics) > 0 {
		t.Error(err, told(applied.Diagnostics))
	}
}
