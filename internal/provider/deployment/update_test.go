package deployment

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// unpatched are the fields that patches never send, and why.
var unpatched = map[string]string{
	"name": "can't be changed", "source": "can't be changed", "source_config.integration_id": "can't be changed", "source_config.repo_url": "can't be changed",
	"source_config.deployment_type": "can't be changed", "source_config.listener_id": "can't be changed", "source_config.listener_config": "can't be changed",
	"source_config.template_id": "can't be changed",
	"tracked_repo_ref":          "repo_ref is sent",
	"deployment_tier":           "has an operation of its own",
	"revision_source":           "is for clients that build", "tracked_packages": "is for clients that build",
}

// mayMiss are the fields that may be missing in responses of a dialect, although they have a value.
var mayMiss = map[string][]string{
	api.Neutral.Name: {"source_revision_config.source_tarball_path", "source_config.resource_spec", "secrets", "secret_references"},
	api.LangSmith.Name: {
		"source_revision_config.source_tarball_path", "source_config.resource_spec", "secrets", "secret_references",
		"source_config.install_command", "source_config.build_command",
	},
}

// TestSentPatch sends each field of the patch, found by reflection, to a deployment that shows the value, shows another one, or none.
func TestSentPatch(t *testing.T) {
	t.Parallel()
	sample := map[string][2]any{ // Of fields that aren't a text or a flag: two values.
		"source_config.resource_spec": {map[string]any{"cpu": 1}, map[string]any{"cpu": 2}},
		"secrets":                     {[]any{map[string]any{"name": "A", "value": "1"}}, []any{map[string]any{"name": "A", "value": "2"}}},
		"secret_references": {
			[]any{map[string]any{"name": "A", "secret_name": "s", "secret_key": "a"}}, []any{map[string]any{"name": "A", "secret_name": "s", "secret_key": "b"}},
		},
		"source_config.build_on_push": {true, false}, "route_through_gateway": {true, false},
	}
	for _, field := range fieldsOf(reflect.TypeFor[api.DeploymentPatchRequest](), "") {
		if unpatched[field] != "" {
			continue
		}
		values, special := sample[field]
		if !special {
			values = [2]any{"a", "b"}
		}
		for _, dialect := range []*api.Dialect{api.Neutral, api.LangSmith} {
			sent := sentPatch{withField[api.DeploymentPatchRequest](t, field, values[0]), dialect, nil}
			same, other, none := withField[api.Deployment](t, field, values[0]), withField[api.Deployment](t, field, values[1]), api.Deployment{}
			may := slices.Contains(mayMiss[dialect.Name], field)
			if sent.differs(same) || !sent.differs(other) || sent.differs(none) == may {
				t.Errorf("%s, %s: differs from the same: %t, from another value: %t, from none: %t", dialect.Name, field, sent.differs(same), sent.differs(other), sent.differs(none))
			}
			if sent.hidden(other, same) || sent.hidden(other, none) != may {
				t.Errorf("%s, %s: hidden if shown: %t, if missing: %t", dialect.Name, field, sent.hidden(other, same), sent.hidden(other, none))
			}
		}
	}
}

// withField returns an object with one field.
func withField[T any](t *testing.T, field string, value any) (object T) {
	t.Helper()
	for _, part := range slices.Backward(strings.Split(field, ".")) {
		value = map[string]any{part: value}
	}
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &object)
	}
	if err != nil {
		t.Fatal(err)
	}
	return object
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
