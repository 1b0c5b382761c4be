package deployment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

func TestPlanPlacement(t *testing.T) {
	t.Parallel()
	const listener = "6ba7b810-9dad-41d1-80b4-00c04fd430c1"
	const at = "source_config.listener_config"
	const in = at + ".k8s_namespace"
	places := map[string]attr.Value{
		"none": types.ObjectNull(framework.NestedTypes(attributeTypes("source_config")["listener_config"])), "a": listenerConfig(text("a")),
		"b": listenerConfig(text("b")), "unknown inside": listenerConfig(types.StringUnknown()),
		"unknown": types.ObjectUnknown(framework.NestedTypes(attributeTypes("source_config")["listener_config"])),
	}
	placed := func(place, at string) model {
		return imageModel(map[string]attr.Value{"listener_id": text(at), "listener_config": places[place]})
	}
	for name, test := range map[string]struct {
		dialect        *api.Dialect
		state, planned model
		replace        string
		want           []string
	}{
		"unchanged":                 {api.Neutral, placed("a", listener), placed("a", listener), "", nil},
		"moved":                     {api.Neutral, placed("a", listener), placed("b", listener), in, nil},
		"removed":                   {api.Neutral, placed("a", listener), placed("none", listener), at, nil},
		"added":                     {api.Neutral, placed("none", listener), placed("a", listener), at, nil},
		"not known yet":             {api.Neutral, placed("a", listener), placed("unknown", listener), "", []string{"warning " + in + ": Replacement not decided"}},
		"not known yet inside":      {api.Neutral, placed("a", listener), placed("unknown inside", listener), "", []string{"warning " + in + ": Replacement not decided"}},
		"hidden":                    {api.LangSmith, placed("none", listener), placed("a", listener), "", []string{"warning " + at + ": Not checked against the service"}},
		"hidden, with its listener": {api.LangSmith, placed("none", "6ba7b810-9dad-41d1-80b4-00c04fd430c2"), placed("a", listener), at, nil},
		"hidden, but known":         {api.LangSmith, placed("a", listener), placed("b", listener), in, nil},
		"hidden, not known yet":     {api.LangSmith, placed("none", listener), placed("unknown", listener), "", []string{"warning " + at + ": Replacement not decided"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replaces := ""
			at, replace, diags := planPlacement(test.dialect, test.planned, test.state)
			if replace {
				replaces = at.String()
			}
			if diff := cmp.Diff(test.replace, replaces); diff != "" {
				t.Errorf("replaced by (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, frameworktest.Lines(diags)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
