package deployment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// TestDecidedInApply goes through what may come between a plan that leaves open whether a deployment is replaced and the
// plan within its apply.
func TestDecidedInApply(t *testing.T) {
	t.Parallel()
	state, open, other := gitModel(nil, nil), gitModel(nil, nil), gitModel(map[string]attr.Value{"deployment_type": text("dev")}, nil)
	open.Name, other.Name = types.StringUnknown(), text("other")
	whole := gitModel(nil, nil)
	whole.SourceConfig = types.ObjectUnknown(attributeTypes("source_config"))
	newer := state
	newer.UpdatedAt = text("2026-01-03T03:04:05Z")
	want := []string{"error name: Deployment must be replaced"}
	for name, test := range map[string]struct {
		first, second, state model
		refreshed            bool
		want                 []string
	}{
		"another value":                  {open, other, state, false, want},
		"all of an object":               {whole, other, state, false, want},
		"the same value":                 {open, state, state, false, nil},
		"known all along":                {other, other, state, false, nil},
		"a plan of its own":              {open, other, state, true, nil},
		"another apply has come between": {open, other, newer, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			notes := framework.Notes{Directory: t.TempDir()}
			process := func() *deploymentResource {
				return &deploymentResource{framework.Resource{ProviderData: framework.ProviderData{Notes: notes, Memo: &framework.Memo{}}}}
			}
			noDiags(t, process().decidedInApply(test.first, state, test.first.replaces(state)))
			second := process()
			if test.refreshed {
				second.refreshing(state.ID)
			}
			diags := second.decidedInApply(test.second, test.state, test.second.replaces(test.state))
			if diff := cmp.Diff(test.want, lines(diags)); diff != "" {
				t.Error(diff)
			}
			for _, d := range diags {
				wantText(t, d.Detail(), `name from "chat" to "other"; source_config.deployment_type from "prod" to "dev".`, "Apply again")
			}
			noDiags(t, process().decidedInApply(test.second, test.state, true)) // It is said once.
		})
	}
}
