package form

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// found is a problem with its location as JSON, for test tables.
type found struct{ loc, kind string }

func problemsOf(t *testing.T, err error) []found {
	t.Helper()
	if err == nil {
		return nil
	}
	p, is := errors.AsType[*Error](err)
	if !is || p.Kind != Unprocessable {
		t.Fatalf("error = %v, want one of the request's fields", err)
	}
	var list []found
	for _, e := range p.Fields {
		loc, err := json.Marshal(e.Loc)
		assert.Must(t, err)
		if e.Msg == "" {
			t.Errorf("the problem at %s has no message", loc)
		}
		list = append(list, found{string(loc), e.Type})
	}
	return list
}

const minimal = `"name":"a","source":"git_host","source_revision_config":{},"secrets":[]`

// inSpec returns a create request with a resource spec.
func inSpec(spec string) string {
	return `{` + minimal + `,"source_config":{"resource_spec":` + spec + `}}`
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	const spec = `["body","source_config","resource_spec"`
	for name, tc := range map[string]struct {
		body string
		want []found
	}{
		"nothing":     {``, []found{{`["body"]`, "missing"}}},
		"white space": {" \n", []found{{`["body"]`, "missing"}}},
		"too deep":    {strings.Repeat("[", 10_000_000), []found{{`["body"]`, "json_invalid"}}},
		"no JSON":     {`{"name" 1}`, []found{{`["body",8]`, "json_invalid"}}},
		"cut off":     {`{"name":`, []found{{`["body",8]`, "json_invalid"}}},
		"two values":  {`{} {}`, []found{{`["body",3]`, "json_invalid"}}},
		"no object":   {`[]`, []found{{`["body"]`, "dict_type"}}},
		"null":        {`null`, []found{{`["body"]`, "dict_type"}}},
		"everything missing": {`{}`, []found{
			{`["body","name"]`, "missing"}, {`["body","source"]`, "missing"}, {`["body","source_config"]`, "missing"},
			{`["body","source_revision_config"]`, "missing"}, {`["body","secrets"]`, "missing"},
		}},
		"keys are literal": {`{"Name":"a","source":"git_host","source_config":{},"source_revision_config":{},"secrets":[]}`,
			[]found{{`["body","name"]`, "missing"}}},
		"null where required": {`{"name":null,"source":null,"source_config":null,"source_revision_config":null,"secrets":null}`,
			[]found{
				{`["body","name"]`, "string_type"}, {`["body","source"]`, "enum"}, {`["body","source_config"]`, "dict_type"},
				{`["body","source_revision_config"]`, "dict_type"}, {`["body","secrets"]`, "list_type"},
			}},
		"several at once": {`{"name":1,"source":"svn","source_config":{"integration_id":"x","repo_url":true,
			"deployment_type":"big","build_on_push":"yes"},"source_revision_config":{"repo_ref":7},"secrets":[{"name":"A"},"B"]}`,
			[]found{
				{`["body","name"]`, "string_type"}, {`["body","source"]`, "enum"},
				{`["body","source_config","integration_id"]`, "uuid_parsing"},
				{`["body","source_config","repo_url"]`, "string_type"},
				{`["body","source_config","deployment_type"]`, "enum"},
				{`["body","source_config","build_on_push"]`, "bool_type"},
				{`["body","source_revision_config","repo_ref"]`, "string_type"},
				{`["body","secrets",0,"value"]`, "missing"}, {`["body","secrets",1]`, "dict_type"},
			}},
		"uuid of a number": {`{` + minimal + `,"source_config":{"listener_id":5}}`,
			[]found{{`["body","source_config","listener_id"]`, "uuid_type"}}},
		"integers": {inSpec(`{"cpu":1.5,"memory_mb":"1","min_scale":0.25,"max_scale":true,"db_storage_gi":1e300}`), []found{
			{
				spec + `,"min_scale"]`,
				"int_from_float"}, {spec + `,"max_scale"]`,
				"int_type"}, {spec + `,"cpu"]`,
				"int_from_float",
			},
			{spec + `,"memory_mb"]`, "int_type"}, {spec + `,"db_storage_gi"]`, "int_parsing_size"},
		}},
		"number": {inSpec(`{"db_cpu":"half"}`), []found{{spec + `,"db_cpu"]`, "float_type"}}},
		"finite": {inSpec(`{"db_cpu":1e400}`), []found{{spec + `,"db_cpu"]`, "finite_number"}}},
		"map of text": {
			inSpec(`{"labels":{"b":1,"a":null}}`),
			[]found{{spec + `,"labels","a"]`, "string_type"}, {spec + `,"labels","b"]`, "string_type"}},
		},
		"no map":       {inSpec(`{"annotations":[]}`), []found{{spec + `,"annotations"]`, "dict_type"}}},
		"null in list": {inSpec(`{"sidecars":[null]}`), []found{{spec + `,"sidecars",0]`, "dict_type"}}},
		"deep in lists": {
			inSpec(`{"sidecars":[{"name":"a","image":"b","args":["x",1],"env":[{"value":"v"}]}]}`),
			[]found{{spec + `,"sidecars",0,"args",1]`, "string_type"}, {spec + `,"sidecars",0,"env",0,"name"]`, "missing"}},
		},
		"required in nested shapes": {
			inSpec(`{"image_pull_secrets":[{}],"volumes":[{"csi":{}}],"volume_mounts":[{"readOnly":true}],"init_containers":[{}]}`), []found{
				{spec + `,"image_pull_secrets",0,"name"]`, "missing"}, {spec + `,"volumes",0,"name"]`, "missing"},
				{spec + `,"volume_mounts",0,"name"]`, "missing"}, {spec + `,"volume_mounts",0,"mountPath"]`, "missing"},
				{spec + `,"init_containers",0,"name"]`, "missing"}, {spec + `,"init_containers",0,"image"]`, "missing"},
			},
		},
		"free object": {
			inSpec(`{"volumes":[{"name":"v","emptyDir":"yes"}]}`),
			[]found{{spec + `,"volumes",0,"emptyDir"]`, "dict_type"}},
		},
	} {
		_, err := Decode[api.DeploymentCreateRequest]([]byte(tc.body), api.Neutral)
		assert.Same(t, name, tc.want, problemsOf(t, err), cmp.AllowUnexported(found{}))
	}
}

func TestDecodeMessages(t *testing.T) {
	t.Parallel()
	_, err := Decode[api.DeploymentCreateRequest]([]byte(
		`{"name":"a","source":"x","source_config":{"deployment_type":"y"},"source_revision_config":{},"secrets":[]}`), api.Neutral)
	p, is := errors.AsType[*Error](err)
	if !is {
		t.Fatalf("error = %v, want one of the request", err)
	}
	var got []string
	for _, e := range p.Fields {
		got = append(got, e.Msg)
	}
	if only := NotOneOf(nil, []string{"k8s"}, "enum").Msg; only != "Input should be 'k8s'" {
		t.Errorf("message for a single choice = %q, want it without \"or\"", only)
	}
	want := []string{
		"Input should be 'git_host' or 'external_container'",
		"Input should be 'dev_free', 'dev' or 'prod'",
	}
	assert.Same(t, "messages", want, got)
}

func TestDecodeTakes(t *testing.T) {
	t.Parallel()
	body := `{"name":"a","source":"external_container","unknown":{"x":1},
		"source_config":{"listener_id":"{AAAAAAAA-0000-4000-8000-000000000000}","repo_url":null,"Repo_URL":"ignored",
			"resource_spec":{"cpu":2.0,"memory_mb":1e3,"db_cpu":0.5,"labels":{"k":"v"},"sidecars":null,
				"volumes":[{"name":"v","emptyDir":{"sizeLimit":12345678901234567890,"a":[null]}}]}},
		"source_revision_config":{"image_uri":"i"},"secrets":[{"name":"A","value":"<&>"}]}`
	got, err := Decode[api.DeploymentCreateRequest]([]byte(body), api.Neutral)
	if err != nil {
		t.Fatalf("%v", err)
	}
	cpu, memory, dbCPU := api.CPU(2), int64(1000), 0.5
	want := api.DeploymentCreateRequest{
		Name: "a", Source: api.SourceExternalContainer,
		SourceConfig: api.SourceConfigRequest{
			ListenerID: api.Some(api.UUID("aaaaaaaa-0000-4000-8000-000000000000")),
			RepoURL:    api.Optional[string]{Present: true},
			ResourceSpec: api.Some(api.ResourceSpec{
				CPU: &cpu, MemoryMB: &memory, DBCPU: &dbCPU, Labels: map[string]string{"k": "v"},
				Volumes: []api.Volume{{Name: "v", EmptyDir: api.Object{
					"sizeLimit": json.RawMessage("12345678901234567890"), "a": json.RawMessage("[null]"),
				}}},
			}),
		},
		SourceRevisionConfig: api.SourceRevisionConfigRequest{ImageURI: api.Some("i")},
		Secrets:              []api.Secret{{Name: "A", Value: "<&>"}},
	}
	assert.Same(t, "request", want, got)
}

func TestDecodePatchTellsAbsentFromNull(t *testing.T) {
	t.Parallel()
	got, err := Decode[api.DeploymentPatchRequest]([]byte(`{"source_config":null,"secrets":[]}`), api.Neutral)
	if err != nil {
		t.Fatalf("%v", err)
	}
	want := api.DeploymentPatchRequest{
		SourceConfig: api.Optional[api.SourceConfigRequest]{Present: true},
		Secrets:      api.Some([]api.Secret{}),
	}
	assert.Same(t, "request", want, got)
}

// FuzzDecode looks for bodies that pass validation but don't fit the type, which would result in status 500.
func FuzzDecode(f *testing.F) {
	f.Add(`{` + minimal + `,"source_config":{}}`)
	f.Add(inSpec(`{"cpu":1e2,"db_cpu":-0,"volumes":[{"name":"v","csi":{"a":1.50}}]}`))
	f.Add(`{"secrets":[{"name":"\ud800","value":""}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		_, err := Decode[api.DeploymentCreateRequest]([]byte(body), api.Neutral)
		if _, is := errors.AsType[*Error](err); err != nil && !is {
			t.Errorf("%q: error = %v, want one of the request", body, err)
		}
	})
}

// TestParse_asDecoder compares values with what the standard library's decoder reads.
func TestParse_asDecoder(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"a":{"x":1},"a":{"y":2}}`, `{"a":[1,2,3],"a":[4]}`, `{"a":{"x":1},"a":null}`, `{"a":{"b":{"x":1},"b":{"y":2}}}`, `[{"x":1},{"y":2}]`,
		`1e400`, `-0`, `123456789012345678901234567890.50`, `[0.10,1E+2]`, `""`, "\"\xff\"", `"\ud800"`, `{"\ud800":1}`, `"\ud83d\ude00\ud83d"`,
		` null `, `{"a":null}`, `[]`, `{}`, `[true,false]`,
	} {
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, err := Parse([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, %v, want %#v", text, got, err, want)
		}
	}
}
