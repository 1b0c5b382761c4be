package deployment

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// unpatched are the fields that patches never send, and why.
var unpatched = map[string]string{
	"name": "can't be changed", "source": "can't be changed", "source_config.integration_id": "can't be changed", "source_config.repo_url": "can't be changed",
	"source_config.deployment_type": "can't be changed", "source_config.listener_id": "can't be changed", "source_config.listener_config": "can't be changed",
	"source_config.template_id": "can't be changed",
	"tracked_repo_ref":          "repo_ref is sent",
	"deployment_tier":           "has an operation of its own",
}

// TestPatchFields finds the fields of the patch by reflection. A field that patches send and that is in no row would never be compared: its
// update would count as done, whatever the service does with it.
func TestPatchFields(t *testing.T) {
	t.Parallel()
	rows := slices.Collect(maps.Keys(unpatched))
	for _, f := range patchFields {
		rows = append(rows, f.name)
	}
	slices.Sort(rows)
	fields := fieldsOf(reflect.TypeFor[api.DeploymentPatchRequest](), "")
	slices.Sort(fields)
	if diff := cmp.Diff(fields, rows); diff != "" {
		t.Errorf("rows for the fields of the patch (-fields +rows):\n%s", diff)
	}
}

// fieldsOf returns the paths of a request's fields. source_config and source_revision_config have fields of their own.
func fieldsOf(request reflect.Type, at string) []string {
	var all []string
	for _, field := range reflect.VisibleFields(request) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		value, _ := field.Type.FieldByName("Value")
		if strings.HasSuffix(name, "_config") && at == "" {
			all = append(all, fieldsOf(value.Type.Elem(), name+".")...)
			continue
		}
		all = append(all, at+name)
	}
	return all
}

// TestPatchFields_scalars sends each field with one value to a deployment that shows it, has another value, or shows none.
func TestPatchFields_scalars(t *testing.T) {
	t.Parallel()
	yes, no, a, b := true, false, "a", "b"
	patch := api.DeploymentPatchRequest{
		DisplayName: api.Some(a), RouteThroughGateway: api.Some(true),
		SourceConfig: api.Some(api.SourceConfigRequest{
			BuildOnPush: api.Some(true), CustomURL: api.Some(a), InstallCommand: api.Some(a), BuildCommand: api.Some(a),
		}),
		SourceRevisionConfig: api.Some(api.SourceRevisionConfigRequest{ImageURI: api.Some(a), GraphConfigPath: api.Some(a), SourceTarballPath: api.Some(a)}),
	}
	having := func(flag *bool, text *string) api.Deployment {
		return api.Deployment{
			DisplayName: text, RouteThroughGateway: flag,
			SourceConfig:         api.SourceConfig{BuildOnPush: flag, CustomURL: text, InstallCommand: text, BuildCommand: text},
			SourceRevisionConfig: api.SourceRevisionConfig{ImageURI: text, GraphConfigPath: text, SourceTarballPath: text},
		}
	}
	// missed are the fields that may be missing in responses of the dialect.
	missed := map[string][]string{
		api.Neutral.Name:   {"source_revision_config.source_tarball_path"},
		api.LangSmith.Name: {"source_config.install_command", "source_config.build_command", "source_revision_config.source_tarball_path"},
	}
	for _, dialect := range []*api.Dialect{api.Neutral, api.LangSmith} {
		p, compared := newSentPatch(dialect, patch), 0
		for _, f := range patchFields {
			same, other, none := having(&yes, &a), having(&no, &b), having(nil, nil)
			cleared := same
			if f.clear(p, &cleared); cmp.Equal(same, cleared) {
				continue // Not one of these.
			}
			compared++
			may := slices.Contains(missed[dialect.Name], f.name)
			if f.differs(p, same) || !f.differs(p, other) || f.differs(p, none) == may {
				t.Errorf("%s, %s: differs from the same: %t, from another value: %t, from none: %t", dialect.Name, f.name, f.differs(p, same), f.differs(p, other), f.differs(p, none))
			}
			if f.hides(p, other, same) || f.hides(p, other, none) != may {
				t.Errorf("%s, %s: hidden if shown: %t, if missing: %t", dialect.Name, f.name, f.hides(p, other, same), f.hides(p, other, none))
			}
		}
		if compared != 9 {
			t.Errorf("%s: %d fields have one value, want 9", dialect.Name, compared)
		}
	}
}
