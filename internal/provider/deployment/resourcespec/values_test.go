package resourcespec

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// TestWrittenSpecReadsBack sends generated specs to a service and reads them back: the first refresh must return exactly what was
// written, and an import must not plan any change.
func TestWrittenSpecReadsBack(t *testing.T) {
	t.Parallel()
	for name, echo := range map[string]bool{"service fills in defaults": false, "service echoes": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := devservertest.New(t, devserver.Config{EchoResourceSpec: echo})
			created := devservertest.Into[api.Deployment](
				plane.Do(http.MethodPost, "/v2/deployments", devservertest.ImageRequest("chat")).Want(http.StatusCreated))
			eachSpec(t, 40, false, func(t *testing.T, _ int64, written types.Object) {
				t.Helper()
				spec, complete, diags := ToAPI(written)
				frameworktest.NoDiags(t, diags)
				if !complete {
					t.Error("a known spec is reported as incomplete")
				}
				patch := api.DeploymentPatchRequest{SourceConfig: api.Some(api.SourceConfigRequest{ResourceSpec: api.Some(spec)})}
				current := devservertest.Into[api.Deployment](
					plane.Do(http.MethodPatch, "/v2/deployments/"+created.ID, patch).Want(http.StatusOK))
				checkReadBack(t, written, current.SourceConfig.ResourceSpec)
			})
		})
	}
}

// TestWrittenFractionsReadBack does the same without a service, because the dev server refuses fractions of cores.
func TestWrittenFractionsReadBack(t *testing.T) {
	t.Parallel()
	eachSpec(t, 40, true, func(t *testing.T, _ int64, written types.Object) {
		t.Helper()
		spec, _, diags := ToAPI(written)
		frameworktest.NoDiags(t, diags)
		current := specOf(t, jsonOf(t, withDefaults(spec)))
		checkReadBack(t, written, &current)
	})
}

func checkReadBack(t *testing.T, written types.Object, current *api.ResourceSpec) {
	t.Helper()
	read := FromAPI(written, current, false)
	if !written.Equal(read) {
		t.Errorf("drift after a write (-written +read):\n%s", cmp.Diff(written, read))
	}
	wanted, _, diags := ToAPI(written)
	frameworktest.NoDiags(t, diags)
	if Differ(wanted, *current) {
		t.Errorf("Differ of the written spec and the current one = true, want false:\n%s\n%s", jsonOf(t, wanted), jsonOf(t, current))
	}
	imported := FromAPI(types.ObjectNull(Types()), current, true)
	adopted, _, diags := ToAPI(imported)
	frameworktest.NoDiags(t, diags)
	if Differ(adopted, *current) {
		t.Errorf("Differ of the imported spec and the current one = true, want false:\n%s\n%s", jsonOf(t, adopted), jsonOf(t, current))
	}
	// Written back alone, the imported spec must also mean the same as the current one.
	if diff := cmp.Diff(canonical(withDefaults(*current)), canonical(withDefaults(adopted))); diff != "" {
		t.Errorf("the import lost values (-current +imported):\n%s", diff)
	}
	again := FromAPI(imported, current, false)
	if !imported.Equal(again) {
		t.Errorf("drift after an import (-imported +read):\n%s", cmp.Diff(imported, again))
	}
}

func TestToResourceSpec(t *testing.T) {
	t.Parallel()
	unknownList := types.ListUnknown(types.ObjectType{AttrTypes: elementTypes(t, "volumes")})
	for name, test := range map[string]struct {
		spec     types.Object
		want     string
		complete bool
	}{
		"null":    {types.ObjectNull(Types()), `{}`, true},
		"unknown": {types.ObjectUnknown(Types()), `{}`, false},
		"empty":   {specObject(nil), `{}`, true},
		"an unknown is left out": {
			specObject(map[string]attr.Value{"cpu": types.Float64Unknown(), "memory_mb": number64(512)}), `{"memory_mb":512}`, false,
		},
		"an unknown list": {specObject(map[string]attr.Value{"volumes": unknownList}), `{}`, false},
		"an unknown deep inside": {
			specObject(map[string]attr.Value{"sidecars": objectList(t, []string{"sidecars"}, map[string]attr.Value{
				"name": text("a"), "image": text("b"),
				"env": objectList(t, []string{"sidecars", "env"}, map[string]attr.Value{"name": text("A"), "value": types.StringUnknown()}),
			})}),
			`{"sidecars":[{"name":"a","image":"b","env":[{"name":"A"}]}]}`, false,
		},
		"words of Kubernetes": {
			specObject(map[string]attr.Value{
				"volumes": objectList(t, []string{"volumes"}, map[string]attr.Value{
					"name": text("v"), "downward_api_json": jsonText(`{"items":[]}`), "empty_dir_json": jsonText(`{}`),
				}),
				"init_containers": objectList(t, []string{"init_containers"}, map[string]attr.Value{
					"name": text("i"), "image": text("b"), "image_pull_policy": text("Always"), "working_dir": text("/w"),
					"security_context_json": jsonText(`{"runAsUser":1}`),
				}),
			}),
			`{"volumes":[{"name":"v","emptyDir":{},"downwardAPI":{"items":[]}}],"init_containers":[{"name":"i","image":"b",` +
				`"imagePullPolicy":"Always","workingDir":"/w","securityContext":{"runAsUser":1}}]}`, true,
		},
		"empty is not absent": {
			specObject(map[string]attr.Value{"labels": frameworktest.StringMap(), "volumes": objectList(t, []string{"volumes"})}),
			`{"labels":{},"volumes":[]}`, true,
		},
		"a null in a map is left out": {
			specObject(map[string]attr.Value{"labels": types.MapValueMust(types.StringType, map[string]attr.Value{
				"a": text("b"), "c": types.StringNull(),
			})}), `{"labels":{"a":"b"}}`, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, complete, diags := ToAPI(test.spec)
			frameworktest.NoDiags(t, diags)
			if got := jsonOf(t, spec); got != test.want {
				t.Errorf("spec = %s, want %s", got, test.want)
			}
			if complete != test.complete {
				t.Errorf("complete = %t, want %t", complete, test.complete)
			}
		})
	}
}

func TestToResourceSpecRefusesOtherForms(t *testing.T) {
	t.Parallel()
	for name, object := range map[string]string{"no object": `"x"`, "no JSON": `{`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, diags := ToAPI(specObject(map[string]attr.Value{"volumes": objectList(t, []string{"volumes"},
				map[string]attr.Value{"name": text("v"), "secret_json": jsonText(object)})}))
			want := []string{"error source_config.resource_spec: Invalid resource_spec"}
			if diff := cmp.Diff(want, frameworktest.Lines(diags)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNewResourceSpec(t *testing.T) {
	t.Parallel()
	null := types.ObjectNull(Types())
	volumes := func(json string) attr.Value {
		return objectList(t, []string{"volumes"}, map[string]attr.Value{"name": text("v"), "secret_json": jsonText(json)})
	}
	for name, test := range map[string]struct {
		prior    types.Object
		current  string
		imported bool
		want     types.Object
	}{
		"not managed":        {null, `{"cpu":2}`, false, null},
		"unknown":            {types.ObjectUnknown(Types()), `{"cpu":2}`, false, null},
		"nothing is current": {specObject(map[string]attr.Value{"cpu": types.Float64Value(2)}), `{}`, false, specObject(nil)},
		"unmanaged field":    {specObject(map[string]attr.Value{"cpu": types.Float64Value(2)}), `{"cpu":2,"max_scale":3}`, false, specObject(map[string]attr.Value{"cpu": types.Float64Value(2)})},
		"changed elsewhere":  {specObject(map[string]attr.Value{"cpu": types.Float64Value(2)}), `{"cpu":3}`, false, specObject(map[string]attr.Value{"cpu": types.Float64Value(3)})},
		"a default is what was written": {
			specObject(map[string]attr.Value{"cpu": types.Float64Value(2), "cpu_limit": types.Float64Value(4)}), `{"cpu":2}`, false,
			specObject(map[string]attr.Value{"cpu": types.Float64Value(2), "cpu_limit": types.Float64Value(4)}),
		},
		"JSON is compared by meaning": {
			specObject(map[string]attr.Value{"volumes": volumes("{ \"b\": \"<&>\",\n \"a\": [ ] }")}),
			`{"volumes":[{"name":"v","secret":{"a":[],"b":"\u003c\u0026>"}}]}`, false,
			specObject(map[string]attr.Value{"volumes": volumes("{ \"b\": \"<&>\",\n \"a\": [ ] }")}),
		},
		"JSON that differs is shown": {
			specObject(map[string]attr.Value{"volumes": volumes(`{"a":1}`)}), `{"volumes":[{"name":"v","secret":{"a":2}}]}`, false,
			specObject(map[string]attr.Value{"volumes": volumes(`{"a":2}`)}),
		},
		"an empty list that isn't echoed": {
			specObject(map[string]attr.Value{"labels": frameworktest.StringMap()}), `{}`, false,
			specObject(map[string]attr.Value{"labels": frameworktest.StringMap()}),
		},
		"an empty list that was filled": {
			specObject(map[string]attr.Value{"labels": frameworktest.StringMap()}), `{"labels":{"a":"b"}}`, false,
			specObject(map[string]attr.Value{"labels": frameworktest.StringMap("a", "b")}),
		},
		"import of nothing":  {null, `{}`, true, null},
		"import of defaults": {null, `{"cpu":2,"cpu_limit":4,"queue_cpu":2,"queue_cpu_limit":4}`, true, specObject(map[string]attr.Value{"cpu": types.Float64Value(2)})},
		"import of empties":  {null, `{"labels":{},"volumes":[],"service_account_name":""}`, true, null},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			current := specOf(t, test.current)
			got := FromAPI(test.prior, &current, test.imported)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("the service doesn't report it", func(t *testing.T) {
		t.Parallel()
		managed := specObject(map[string]attr.Value{"cpu": types.Float64Value(2)})
		for _, test := range []struct {
			prior    types.Object
			imported bool
			want     types.Object
		}{{null, true, null}, {null, false, null}, {types.ObjectUnknown(Types()), false, null}, {managed, false, managed}} {
			got := FromAPI(test.prior, nil, test.imported)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("prior %s, imported %t (-want +got):\n%s", test.prior, test.imported, diff)
			}
		}
	})
}

func TestMerged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ current, wanted, want string }{
		"nothing":                         {`{}`, `{}`, `{}`},
		"unmanaged fields survive":        {`{"max_scale":3,"labels":{"a":"b"}}`, `{"cpu":2}`, `{"cpu":2,"labels":{"a":"b"},"max_scale":3}`},
		"unknown fields survive":          {`{"gpu":{"type":"L4","n":12345678901234567890}}`, `{"cpu":2}`, `{"cpu":2,"gpu":{"type":"L4","n":12345678901234567890}}`},
		"what is wanted wins":             {`{"cpu":1,"labels":{"a":"b"}}`, `{"cpu":2,"labels":{"c":"d"}}`, `{"cpu":2,"labels":{"c":"d"}}`},
		"defaults follow a changed base":  {`{"cpu":1,"cpu_limit":2,"queue_cpu":1,"queue_cpu_limit":2}`, `{"cpu":4}`, `{"cpu":4}`},
		"what is no default stays":        {`{"cpu":1,"cpu_limit":3}`, `{"cpu":2}`, `{"cpu":2,"cpu_limit":3}`},
		"a default that is wanted stays":  {`{"cpu":1,"cpu_limit":2}`, `{"cpu":1,"cpu_limit":2}`, `{"cpu":1,"cpu_limit":2}`},
		"a list is replaced as a whole":   {`{"volumes":[{"name":"a"},{"name":"b"}]}`, `{"volumes":[{"name":"c"}]}`, `{"volumes":[{"name":"c"}]}`},
		"an object in a list is replaced": {`{"sidecars":[{"name":"a","image":"b","workingDir":"/"}]}`, `{"sidecars":[{"name":"a","image":"c"}]}`, `{"sidecars":[{"image":"c","name":"a"}]}`},
		"emptied":                         {`{"labels":{"a":"b"},"volumes":[{"name":"a"}]}`, `{"labels":{},"volumes":[]}`, `{"labels":{},"volumes":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := merged(specOf(t, test.current), specOf(t, test.wanted))
			if diff := cmp.Diff(rawFields(t, specOf(t, test.want)), rawFields(t, spec)); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
		})
	}
}

// rawFields returns a spec's fields on the wire.
func rawFields(t *testing.T, spec api.ResourceSpec) map[string]json.RawMessage {
	t.Helper()
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(jsonOf(t, spec)), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// TestMergedIsFaithful checks with generated specs that a merge has exactly the fields of both, and that the wanted
// ones take precedence.
func TestMergedIsFaithful(t *testing.T) {
	t.Parallel()
	var before types.Object
	eachSpec(t, 60, true, func(t *testing.T, seed int64, spec types.Object) {
		t.Helper()
		if seed == 0 {
			before = spec
		}
		current, _, _ := ToAPI(before)
		wanted, _, _ := ToAPI(spec)
		before = spec
		current.Extra = api.Object{"younger_field": []byte(`[1.50]`)}
		got := merged(withDefaults(current), wanted)
		if Differ(wanted, got) {
			t.Errorf("the merged spec lost wanted values:\nwanted %s\nmerged %s", jsonOf(t, wanted), jsonOf(t, got))
		}
		if string(got.Extra["younger_field"]) != "[1.50]" {
			t.Errorf("the merged spec lost an unknown field: %v", got.Extra)
		}
		names := slices.Sorted(maps.Keys(rawFields(t, wanted)))
		left, mine := rawFields(t, withoutDefaults(current)), rawFields(t, wanted)
		for name, data := range rawFields(t, got) {
			switch {
			case slices.Contains(names, name) && string(mine[name]) == string(data):
			case !slices.Contains(names, name) && string(left[name]) == string(data):
			default:
				t.Errorf("merged %s = %s, which is in neither spec", name, data)
			}
		}
	})
}

func TestSpecChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		wanted, current string
		want            bool
	}{
		"nothing is wanted":        {`{}`, `{"cpu":1}`, false},
		"same":                     {`{"cpu":1}`, `{"cpu":1,"max_scale":2}`, false},
		"another":                  {`{"cpu":1}`, `{"cpu":2}`, true},
		"not there":                {`{"cpu":1}`, `{}`, true},
		"a default is there":       {`{"queue_cpu_limit":4}`, `{"cpu":2}`, false},
		"another than a default":   {`{"queue_cpu_limit":5}`, `{"cpu":2}`, true},
		"order of volumes doesn't": {`{"volumes":[{"name":"a"},{"name":"b"}]}`, `{"volumes":[{"name":"b"},{"name":"a"}]}`, false},
		"order of args counts":     {`{"sidecars":[{"name":"a","args":["x","y"]}]}`, `{"sidecars":[{"name":"a","args":["y","x"]}]}`, true},
		"order of keys doesn't":    {`{"labels":{"a":"1","b":"2"}}`, `{"labels":{"b":"2","a":"1"}}`, false},
		"a key more":               {`{"labels":{"a":"1"}}`, `{"labels":{"a":"1","b":"2"}}`, true},
		"free-form object":         {`{"volumes":[{"name":"a","emptyDir":{}}]}`, `{"volumes":[{"name":"a"}]}`, true},
		"empty string is absence":  {`{"volumes":[{"name":"a"}],"volume_mounts":[{"name":"a","mountPath":"/","subPath":""}]}`, `{"volumes":[{"name":"a"}],"volume_mounts":[{"name":"a","mountPath":"/"}]}`, false},
		"false is not absence":     {`{"volume_mounts":[{"name":"a","mountPath":"/","readOnly":false}]}`, `{"volume_mounts":[{"name":"a","mountPath":"/"}]}`, true},
		"emptied":                  {`{"labels":{},"volumes":[]}`, `{"labels":{"a":"b"}}`, true},
		"empty as it is":           {`{"labels":{},"volumes":[]}`, `{"volumes":[]}`, false},
		"another unknown field":    {`{"gpu":1}`, `{"gpu":2}`, true},
		"the same unknown field":   {`{"gpu":{"a":1,"b":2}}`, `{"gpu":{"b":2,"a":1}}`, false},
		"zero is not absence":      {`{"min_scale":0}`, `{}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Differ(specOf(t, test.wanted), specOf(t, test.current)); got != test.want {
				t.Errorf("Differ = %t, want %t", got, test.want)
			}
		})
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	null := types.ObjectNull(Types())
	cpu := func(n float64) types.Object {
		return specObject(map[string]attr.Value{"cpu": types.Float64Value(n)})
	}
	volume := func(json string) types.Object {
		return specObject(map[string]attr.Value{"volumes": objectList(t, []string{"volumes"}, map[string]attr.Value{
			"name": text("v"), "secret_json": jsonText(json),
		})})
	}
	current := func(text string) *api.ResourceSpec {
		spec := specOf(t, text)
		return &spec
	}
	for name, test := range map[string]struct {
		planned, state types.Object
		current        *api.ResourceSpec
		want           bool
	}{
		"not managed":                      {null, null, nil, false},
		"no longer managed":                {null, cpu(1), nil, false},
		"as it was":                        {cpu(1), cpu(1), nil, false},
		"another value":                    {cpu(2), cpu(1), nil, true},
		"unknown":                          {types.ObjectUnknown(Types()), cpu(1), nil, true},
		"an unknown field":                 {specObject(map[string]attr.Value{"cpu": types.Float64Unknown()}), cpu(1), nil, true},
		"a field no longer managed":        {specObject(nil), cpu(1), nil, false},
		"begins to be managed, not asked":  {cpu(1), null, nil, true},
		"begins to be managed, as current": {cpu(1), null, current(`{"cpu":1,"max_scale":9}`), false},
		"begins to be managed, as default": {specObject(map[string]attr.Value{"cpu_limit": types.Float64Value(2)}), null, current(`{"cpu":1}`), false},
		"begins to be managed, another":    {cpu(1), null, current(`{"cpu":2}`), true},
		"begins to be managed, not there":  {cpu(1), null, current(`{}`), true},
		"a field begins to be managed":     {specObject(map[string]attr.Value{"cpu": types.Float64Value(1), "memory_mb": number64(512)}), cpu(1), nil, true},
		"a field begins, as current":       {specObject(map[string]attr.Value{"cpu": types.Float64Value(1), "memory_mb": number64(512)}), cpu(1), current(`{"cpu":1,"memory_mb":512}`), false},
		"an empty object":                  {specObject(nil), null, nil, false},
		"a default in writing":             {specObject(map[string]attr.Value{"cpu": types.Float64Value(1), "cpu_limit": types.Float64Value(2)}), specObject(map[string]attr.Value{"cpu": types.Float64Value(1), "cpu_limit": types.Float64Value(2)}), nil, false},
		"formatting of JSON":               {volume("{ \"a\": 1,\n\"b\": [] }"), volume(`{"b":[],"a":1}`), nil, false},
		"meaning of JSON":                  {volume(`{"b":{},"a":1}`), volume(`{"b":[],"a":1}`), nil, true},
		"emptied":                          {specObject(map[string]attr.Value{"labels": frameworktest.StringMap()}), specObject(map[string]attr.Value{"labels": frameworktest.StringMap("a", "b")}), nil, true},
		"empty as before":                  {specObject(map[string]attr.Value{"labels": frameworktest.StringMap()}), specObject(map[string]attr.Value{"labels": frameworktest.StringMap()}), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fields, undecided := Changes(test.planned, test.state, test.current)
			if got := undecided || len(fields) > 0; got != test.want {
				t.Errorf("changes = %t (%v), want %t", got, fields, test.want)
			}
		})
	}
}
