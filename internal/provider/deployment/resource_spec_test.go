package deployment

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// TestWrittenSpecReadsBack sends generated specs to a service and reads them back: the first refresh must see what was written,
// to the letter, and an import must see nothing that it would change.
func TestWrittenSpecReadsBack(t *testing.T) {
	t.Parallel()
	for name, echo := range map[string]bool{"service fills in defaults": false, "service echoes": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlane(t, func(cfg *devserver.Config) { cfg.EchoResourceSpec = echo })
			id := p.create(t, "chat").ID
			eachSpec(t, 40, false, func(t *testing.T, _ int64, written types.Object) {
				t.Helper()
				spec, complete, diags := toResourceSpec(written)
				noDiags(t, diags)
				if !complete {
					t.Error("a known spec is not complete")
				}
				patch := api.DeploymentPatchRequest{SourceConfig: api.Some(api.SourceConfigRequest{ResourceSpec: api.Some(spec)})}
				if _, err := p.client.PatchDeployment(t.Context(), id, patch); err != nil {
					t.Error(err)
					return
				}
				checkReadBack(t, written, p.get(t, id).SourceConfig.ResourceSpec)
			})
		})
	}
}

// TestWrittenFractionsReadBack is the same without a service between: the dev server counts whole cores.
func TestWrittenFractionsReadBack(t *testing.T) {
	t.Parallel()
	eachSpec(t, 40, true, func(t *testing.T, _ int64, written types.Object) {
		t.Helper()
		spec, _, diags := toResourceSpec(written)
		noDiags(t, diags)
		held := specOf(t, jsonOf(t, withDefaults(spec)))
		checkReadBack(t, written, &held)
	})
}

func checkReadBack(t *testing.T, written types.Object, held *api.ResourceSpec) {
	t.Helper()
	read, diags := newResourceSpec(written, held, false)
	noDiags(t, diags)
	if !written.Equal(read) {
		t.Errorf("drift after a write (-written +read):\n%s", cmp.Diff(written, read))
	}
	wanted, _, diags := toResourceSpec(written)
	noDiags(t, diags)
	if specChanges(wanted, *held) {
		t.Errorf("what was written still differs from what is held:\n%s\n%s", jsonOf(t, wanted), jsonOf(t, held))
	}
	imported, diags := newResourceSpec(types.ObjectNull(specTypes()), held, true)
	noDiags(t, diags)
	adopted, _, diags := toResourceSpec(imported)
	noDiags(t, diags)
	if specChanges(adopted, *held) {
		t.Errorf("an import differs from what it imported:\n%s\n%s", jsonOf(t, adopted), jsonOf(t, held))
	}
	// Not only does it not change anything: written back alone, it means all that is held.
	if diff := cmp.Diff(canonical(withDefaults(*held)), canonical(withDefaults(adopted))); diff != "" {
		t.Errorf("an import lost something (-held +imported):\n%s", diff)
	}
	again, diags := newResourceSpec(imported, held, false)
	noDiags(t, diags)
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
		"null":    {types.ObjectNull(specTypes()), `{}`, true},
		"unknown": {types.ObjectUnknown(specTypes()), `{}`, false},
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
			specObject(map[string]attr.Value{"labels": stringMap(), "volumes": objectList(t, []string{"volumes"})}),
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
			spec, complete, diags := toResourceSpec(test.spec)
			noDiags(t, diags)
			if got := jsonOf(t, spec); got != test.want {
				t.Errorf("spec is %s, want %s", got, test.want)
			}
			if complete != test.complete {
				t.Errorf("complete is %t", complete)
			}
		})
	}
}

func TestToResourceSpecRefusesOtherForms(t *testing.T) {
	t.Parallel()
	for name, object := range map[string]string{"no object": `"x"`, "no JSON": `{`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, diags := toResourceSpec(specObject(map[string]attr.Value{"volumes": objectList(t, []string{"volumes"},
				map[string]attr.Value{"name": text("v"), "secret_json": jsonText(object)})}))
			want := []string{"error source_config.resource_spec: Invalid resource_spec"}
			if diff := cmp.Diff(want, lines(diags)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNewResourceSpec(t *testing.T) {
	t.Parallel()
	null := types.ObjectNull(specTypes())
	volumes := func(json string) attr.Value {
		return objectList(t, []string{"volumes"}, map[string]attr.Value{"name": text("v"), "secret_json": jsonText(json)})
	}
	for name, test := range map[string]struct {
		prior    types.Object
		held     string
		imported bool
		want     types.Object
	}{
		"not managed":       {null, `{"cpu":2}`, false, null},
		"unknown":           {types.ObjectUnknown(specTypes()), `{"cpu":2}`, false, null},
		"nothing is held":   {specObject(map[string]attr.Value{"cpu": types.Float64Value(2)}), `{}`, false, specObject(nil)},
		"unmanaged field":   {specObject(map[string]attr.Value{"cpu": types.Float64Value(2)}), `{"cpu":2,"max_scale":3}`, false, specObject(map[string]attr.Value{"cpu": types.Float64Value(2)})},
		"changed elsewhere": {specObject(map[string]attr.Value{"cpu": types.Float64Value(2)}), `{"cpu":3}`, false, specObject(map[string]attr.Value{"cpu": types.Float64Value(3)})},
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
			specObject(map[string]attr.Value{"labels": stringMap()}), `{}`, false,
			specObject(map[string]attr.Value{"labels": stringMap()}),
		},
		"an empty list that was filled": {
			specObject(map[string]attr.Value{"labels": stringMap()}), `{"labels":{"a":"b"}}`, false,
			specObject(map[string]attr.Value{"labels": stringMap("a", "b")}),
		},
		"import of nothing":  {null, `{}`, true, null},
		"import of defaults": {null, `{"cpu":2,"cpu_limit":4,"queue_cpu":2,"queue_cpu_limit":4}`, true, specObject(map[string]attr.Value{"cpu": types.Float64Value(2)})},
		"import of empties":  {null, `{"labels":{},"volumes":[],"service_account_name":""}`, true, null},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := specOf(t, test.held)
			got, diags := newResourceSpec(test.prior, &held, test.imported)
			noDiags(t, diags)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("the service answers null", func(t *testing.T) {
		t.Parallel()
		got, diags := newResourceSpec(null, nil, true)
		noDiags(t, diags)
		if !got.IsNull() {
			t.Errorf("got %s", got)
		}
	})
}

func TestMerged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ held, wanted, want string }{
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
			spec, err := merged(specOf(t, test.held), specOf(t, test.wanted))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(rawFields(t, specOf(t, test.want)), rawFields(t, spec)); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
		})
	}
}

// rawFields are the fields that a spec has on the wire.
func rawFields(t *testing.T, spec api.ResourceSpec) map[string]json.RawMessage {
	t.Helper()
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(jsonOf(t, spec)), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// TestMergedIsFaithful checks over generated specs that a merge has exactly the fields of both, and that it is the wanted
// ones that win.
func TestMergedIsFaithful(t *testing.T) {
	t.Parallel()
	var before types.Object
	eachSpec(t, 60, true, func(t *testing.T, seed int64, spec types.Object) {
		t.Helper()
		if seed == 0 {
			before = spec
		}
		held, _, _ := toResourceSpec(before)
		wanted, _, _ := toResourceSpec(spec)
		before = spec
		held.Extra = api.Object{"younger_field": []byte(`[1.50]`)}
		got, err := merged(withDefaults(held), wanted)
		if err != nil {
			t.Error(err)
			return
		}
		if specChanges(wanted, got) {
			t.Errorf("merged lost something wanted:\n%s\n%s", jsonOf(t, wanted), jsonOf(t, got))
		}
		if string(got.Extra["younger_field"]) != "[1.50]" {
			t.Errorf("merged lost an unknown field: %v", got.Extra)
		}
		names := sortedNames(rawFields(t, wanted))
		left, mine := rawFields(t, withoutDefaults(held)), rawFields(t, wanted)
		for name, data := range rawFields(t, got) {
			switch {
			case slices.Contains(names, name) && string(mine[name]) == string(data):
			case !slices.Contains(names, name) && string(left[name]) == string(data):
			default:
				t.Errorf("%s is %s, in neither spec", name, data)
			}
		}
	})
}

func TestSpecChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		wanted, held string
		want         bool
	}{
		"nothing is wanted":       {`{}`, `{"cpu":1}`, false},
		"same":                    {`{"cpu":1}`, `{"cpu":1,"max_scale":2}`, false},
		"another":                 {`{"cpu":1}`, `{"cpu":2}`, true},
		"not there":               {`{"cpu":1}`, `{}`, true},
		"a default is there":      {`{"queue_cpu_limit":4}`, `{"cpu":2}`, false},
		"another than a default":  {`{"queue_cpu_limit":5}`, `{"cpu":2}`, true},
		"order of a list counts":  {`{"volumes":[{"name":"a"},{"name":"b"}]}`, `{"volumes":[{"name":"b"},{"name":"a"}]}`, true},
		"order of keys doesn't":   {`{"labels":{"a":"1","b":"2"}}`, `{"labels":{"b":"2","a":"1"}}`, false},
		"a key more":              {`{"labels":{"a":"1"}}`, `{"labels":{"a":"1","b":"2"}}`, true},
		"free-form object":        {`{"volumes":[{"name":"a","emptyDir":{}}]}`, `{"volumes":[{"name":"a"}]}`, true},
		"empty string is absence": {`{"volumes":[{"name":"a"}],"volume_mounts":[{"name":"a","mountPath":"/","subPath":""}]}`, `{"volumes":[{"name":"a"}],"volume_mounts":[{"name":"a","mountPath":"/"}]}`, false},
		"false is not absence":    {`{"volume_mounts":[{"name":"a","mountPath":"/","readOnly":false}]}`, `{"volume_mounts":[{"name":"a","mountPath":"/"}]}`, true},
		"emptied":                 {`{"labels":{},"volumes":[]}`, `{"labels":{"a":"b"}}`, true},
		"empty as it is":          {`{"labels":{},"volumes":[]}`, `{"volumes":[]}`, false},
		"another unknown field":   {`{"gpu":1}`, `{"gpu":2}`, true},
		"the same unknown field":  {`{"gpu":{"a":1,"b":2}}`, `{"gpu":{"b":2,"a":1}}`, false},
		"zero is not absence":     {`{"min_scale":0}`, `{}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := specChanges(specOf(t, test.wanted), specOf(t, test.held)); got != test.want {
				t.Errorf("changes is %t", got)
			}
		})
	}
}

// TestEmptiedListReachesTheService follows a list that is set to [] over what the service holds.
func TestEmptiedListReachesTheService(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	created := p.create(t, "chat", func(request *api.DeploymentCreateRequest) {
		request.SourceConfig.ResourceSpec = api.Some(specOf(t, `{"cpu":1,"labels":{"a":"b"}}`))
	})
	state := imageModel(map[string]attr.Value{"resource_spec": specObject(map[string]attr.Value{"labels": stringMap("a", "b")})})
	planned := imageModel(map[string]attr.Value{"resource_spec": specObject(map[string]attr.Value{"labels": stringMap()})})
	c, diags := newChange(planned, state, fingerprints{}, nil)
	noDiags(t, diags)
	if !c.resourceSpec {
		t.Fatal("emptying labels is no change")
	}
	patch, diags := planned.toPatch(t.Context(), c, *p.get(t, created.ID), fingerprints{})
	noDiags(t, diags)
	if _, err := p.client.PatchDeployment(t.Context(), created.ID, patch); err != nil {
		t.Fatal(err)
	}
	if held := p.get(t, created.ID).SourceConfig.ResourceSpec; len(held.Labels) != 0 || *held.CPU != 1 {
		t.Errorf("the service holds %s", jsonOf(t, held))
	}
	if got := p.sent(http.MethodPatch, "/v2/"); got != 1 {
		t.Errorf("%d PATCH requests", got)
	}
}
