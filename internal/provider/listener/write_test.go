package listener

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// TestFailure_paths translates the locations in the service's errors to attributes.
func TestFailure_paths(t *testing.T) {
	t.Parallel()
	m := model{}
	m.ComputeID = types.StringValue("production")
	problem := func(loc ...api.LocStep) api.ValidationError {
		return api.ValidationError{Loc: append([]api.LocStep{api.Key("body")}, loc...), Msg: "is wrong"}
	}
	diags := m.failure("create").Diagnostics(&client.Error{Status: 422, Validation: []api.ValidationError{
		problem(api.Key("compute_id")),
		problem(api.Key("compute_config"), api.Key("k8s_namespaces"), api.Index(1)),
		problem(api.Key("compute_config"), api.Key("something_new")),
		problem(api.Key("something_else")),
	}})
	var got []string
	for _, d := range diags {
		at := path.Empty()
		if located, ok := d.(diag.DiagnosticWithPath); ok {
			at = located.Path()
		}
		got = append(got, d.Summary()+" at "+at.String())
	}
	const summary = `Cannot create listener "production" at `
	want := []string{summary + "compute_id", summary + "compute_config.k8s_namespaces[1]", summary + "compute_config", summary}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
