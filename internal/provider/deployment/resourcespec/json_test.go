package resourcespec

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// strictSpec is api.ResourceSpec without its methods, so that encoding/json doesn't keep unknown fields.
type strictSpec api.ResourceSpec

// TestEveryAttributeIsAField decodes generated specs strictly: no attribute may have a name or a type that the API's types
// don't have.
func TestEveryAttributeIsAField(t *testing.T) {
	t.Parallel()
	eachSpec(t, 40, true, func(t *testing.T, _ int64, spec types.Object) {
		t.Helper()
		fields := map[string]any{}
		for name, value := range spec.Attributes() {
			fields[name], _ = framework.JSON(value, wireName)
		}
		decoder := json.NewDecoder(strings.NewReader(jsonOf(t, fields)))
		decoder.DisallowUnknownFields()
		var strict strictSpec
		if err := decoder.Decode(&strict); err != nil {
			t.Error(err)
		}
	})
}

// TestEveryFieldIsAnAttribute is the reverse: every field of the API's types must have an attribute.
func TestEveryFieldIsAnAttribute(t *testing.T) {
	t.Parallel()
	want, got := map[string]bool{}, map[string]bool{}
	walkFields(reflect.TypeFor[api.ResourceSpec](), "", func(at string) { want[at] = true })
	walkTypes(types.ObjectType{AttrTypes: Types()}, "", func(at string) {
		words := strings.Split(at, ".")
		for i, word := range words[1:] {
			if i > 0 { // The first level also uses snake case on the wire.
				words[i+1] = wireName(word)
			}
		}
		got[strings.Join(words, ".")] = true
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-API +schema):\n%s", diff)
	}
}

func walkFields(t reflect.Type, at string, visit func(string)) {
	switch {
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice && t != reflect.TypeFor[json.RawMessage]():
		walkFields(t.Elem(), at, visit)
	case t.Kind() == reflect.Struct:
		for field := range t.Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" {
				if api.IsExtension(field) {
					continue // TestDocument has the reasons.
				}
				visit(at + "." + name)
				walkFields(field.Type, at+"."+name, visit)
			}
		}
	}
}

func TestWireName(t *testing.T) {
	t.Parallel()
	for attribute, want := range map[string]string{
		"name": "name", "mount_path": "mountPath", "sub_path_expr": "subPathExpr", "empty_dir_json": "emptyDir",
		"persistent_volume_claim_json": "persistentVolumeClaim", "nfs_json": "nfs", "downward_api_json": "downwardAPI",
		"env_from_json": "envFrom", "image_pull_policy": "imagePullPolicy", "csi_json": "csi",
	} {
		if got := wireName(attribute); got != want {
			t.Errorf("wireName(%q) = %q, want %q", attribute, got, want)
		}
	}
}

// TestFromJSON decodes JSON as each type. Wrong JSON is refused before, by api.ResourceSpec.
func TestFromJSON(t *testing.T) {
	t.Parallel()
	objectType := types.ObjectType{AttrTypes: map[string]attr.Type{"sub_path": types.StringType}}
	for name, test := range map[string]struct {
		t    attr.Type
		good string
		want attr.Value
	}{
		"integer": {types.Int64Type, `9223372036854775807`, types.Int64Value(1<<63 - 1)},
		"number":  {types.Float64Type, `0.1`, types.Float64Value(0.1)},
		"boolean": {types.BoolType, `false`, types.BoolValue(false)},
		"string":  {types.StringType, `"\u2028<"`, types.StringValue("\u2028<")},
		"JSON":    {jsontypes.NormalizedType{}, `{"a":1}`, jsontypes.NewNormalizedValue(`{"a":1}`)},
		"list":    {types.ListType{ElemType: types.StringType}, `["a",""]`, textValues("a", "")},
		"map":     {types.MapType{ElemType: types.StringType}, `{"a":""}`, frameworktest.StringMap("a", "")},
		"object": {
			objectType, `{"subPath":"x","other":1}`,
			types.ObjectValueMust(objectType.AttrTypes, map[string]attr.Value{"sub_path": types.StringValue("x")}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := fromJSON(test.t, json.RawMessage(test.good)); !test.want.Equal(got) {
				t.Errorf("%s was decoded as %s, want %s", test.good, got, test.want)
			}
			for _, absent := range []string{"", "null"} {
				if got := fromJSON(test.t, json.RawMessage(absent)); !got.IsNull() || !got.Type(t.Context()).Equal(test.t) {
					t.Errorf("%q was decoded as %v, want a null of the type", absent, got)
				}
			}
		})
	}
}

// TestUnconvertibleTypes expects a panic for types that can't be converted to JSON, so that tests detect such an attribute.
func TestUnconvertibleTypes(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(){
		"to":     func() { framework.JSON(types.Int32Value(1), wireName) },
		"from":   func() { fromJSON(types.Int32Type, json.RawMessage(`1`)) },
		"nested": func() { framework.NestedTypes(types.StringType) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("want a panic for the unsupported type")
				}
			}()
			call()
		})
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ spec, want string }{
		"nothing":                       {`{}`, `{}`},
		"numbers keep their digits":     {`{"db_storage_gi":9007199254740993,"gpu":12345678901234567890}`, `{"db_storage_gi":9007199254740993,"gpu":12345678901234567890}`},
		"empty strings go":              {`{"service_account_name":""}`, `{}`},
		"empty lists and maps go":       {`{"labels":{},"volumes":[],"sidecars":[]}`, `{}`},
		"at every depth":                {`{"sidecars":[{"name":"a","image":"b","command":[],"env":[{"name":"A","value":""}],"resources":{"limits":{},"requests":{}},"workingDir":""}]}`, `{"sidecars":[{"env":[{"name":"A"}],"image":"b","name":"a"}]}`},
		"resources with one side":       {`{"sidecars":[{"name":"a","image":"b","resources":{"limits":{"cpu":"1"},"requests":{}}}]}`, `{"sidecars":[{"image":"b","name":"a","resources":{"limits":{"cpu":"1"}}}]}`},
		"values of a map stay":          {`{"labels":{"a":""}}`, `{"labels":{"a":""}}`},
		"elements of a list stay":       {`{"sidecars":[{"name":"a","image":"b","args":["",""]}]}`, `{"sidecars":[{"args":["",""],"image":"b","name":"a"}]}`},
		"false and zero stay":           {`{"min_scale":0,"volume_mounts":[{"name":"a","mountPath":"/","readOnly":false}]}`, `{"min_scale":0,"volume_mounts":[{"mountPath":"/","name":"a","readOnly":false}]}`},
		"free-form objects stay":        {`{"volumes":[{"name":"a","emptyDir":{}},{"name":"b","secret":{"items":[],"x":"","y":null}}]}`, `{"volumes":[{"emptyDir":{},"name":"a"},{"name":"b","secret":{"items":[],"x":"","y":null}}]}`},
		"order, white space and escape": {"{\"volumes\": [ {\"secret\": {\"z\": \"\\u003c\", \"a\" : 1}, \"name\":\"\\u0061\"} ]}", `{"volumes":[{"name":"a","secret":{"a":1,"z":"<"}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			encoder := json.NewEncoder(&b)
			encoder.SetEscapeHTML(false)
			var fields map[string]any
			decoder := json.NewDecoder(strings.NewReader(jsonOf(t, canonical(specOf(t, test.spec)))))
			decoder.UseNumber()
			if err := decoder.Decode(&fields); err != nil {
				t.Fatal(err)
			}
			if err := encoder.Encode(fields); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(b.String()); got != test.want {
				t.Errorf("canonical =\n%s, want\n%s", got, test.want)
			}
		})
	}
}

// TestCanonicalLeavesItsArgumentAlone checks that comparing a spec doesn't change it, because it is sent afterwards.
func TestCanonicalLeavesItsArgumentAlone(t *testing.T) {
	t.Parallel()
	eachSpec(t, 20, true, func(t *testing.T, _ int64, object types.Object) {
		t.Helper()
		spec, _, _ := ToAPI(object)
		before := jsonOf(t, spec)
		canonical(withDefaults(withoutDefaults(spec)))
		if after := jsonOf(t, spec); after != before {
			t.Errorf("canonical changed its argument from %s\nto %s", before, after)
		}
	})
}
