package deployment

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// createPlan returns the plan of a create: all computed attributes are unknown.
func createPlan() model {
	m := gitModel(map[string]attr.Value{
		"custom_url": types.StringUnknown(), "install_command": types.StringUnknown(), "build_command": types.StringUnknown(),
		"deployment_type": types.StringUnknown(), "build_on_push": types.BoolUnknown(),
	}, map[string]attr.Value{"repo_commit_sha": types.StringUnknown()})
	for _, computed := range []*types.String{
		&m.WorkspaceID, &m.ID, &m.CreatedAt, &m.UpdatedAt, &m.Status, &m.LatestRevisionID, &m.LatestRevisionStatus, &m.ActiveRevisionID,
		&m.ImageVersion,
	} {
		*computed = types.StringUnknown()
	}
	m.EnvironmentNames = types.SetUnknown(types.StringType)
	return m
}

// TestApplied_noUnknown checks that no attribute is unknown after an apply, even a failed one, however
// little the service returned.
func TestApplied_noUnknown(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]api.Deployment{
		"nothing but the id": {ID: "d1", Name: "chat"},
		"everything":         answerOf(t, gitModel(nil, nil)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := createPlan()
			answered := newModel(plan, answer, "", fingerprints{})
			saved := applied(t.Context(), plan, answered)
			fields := reflect.ValueOf(saved)
			for _, field := range reflect.VisibleFields(fields.Type()) {
				if field.Anonymous {
					continue
				}
				value, ok := reflect.TypeAssert[attr.Value](fields.FieldByIndex(field.Index))
				if !ok {
					t.Errorf("field %s isn't an attribute", field.Name)
					continue
				}
				if hasUnknown(value) && field.Name != "WorkspaceID" { // The resource sets it earlier.
					t.Errorf("%s = %s, want it known", field.Name, value)
				}
			}
		})
	}
}

// TestStored_status expects a status only beside the ID of its own revision.
func TestStored_status(t *testing.T) {
	t.Parallel()
	const newest, earlier = "r2", "r1"
	for name, test := range map[string]struct{ active, read, want string }{
		"read":    {earlier, newest, "DEPLOYING"},
		"active":  {newest, earlier, "DEPLOYED"},
		"another": {earlier, earlier, ""},
	} {
		answer := api.Deployment{ID: "d1", Name: "chat", LatestRevisionID: new(newest), ActiveRevisionID: &test.active}
		saved := apply{plan: createPlan()}.stored(t.Context(), answer, api.Revision{ID: test.read, Status: api.RevisionDeploying})
		if got := saved.LatestRevisionStatus.ValueString(); got != test.want {
			t.Errorf("%s: status = %q, want %q", name, got, test.want)
		}
	}
}

func hasUnknown(value attr.Value) bool {
	if value.IsUnknown() {
		return true
	}
	found := false
	if o, ok := value.(types.Object); ok {
		for _, attribute := range o.Attributes() {
			found = found || hasUnknown(attribute)
		}
	}
	return found
}
