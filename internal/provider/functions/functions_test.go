package functions

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// call runs a function with one argument. Its result has the type of unset.
func call(t *testing.T, f function.Function, argument, unset attr.Value) (attr.Value, *function.FuncError) {
	t.Helper()
	var definition function.DefinitionResponse
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
	var valid function.DefinitionValidateResponse
	definition.Definition.ValidateImplementation(t.Context(), function.DefinitionValidateRequest{}, &valid)
	if valid.Diagnostics.HasError() {
		t.Fatal(valid.Diagnostics)
	}
	resp := function.RunResponse{Result: function.NewResultData(unset)}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData([]attr.Value{argument})}, &resp)
	return resp.Result.Value(), resp.Error
}

func TestTagRef(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"v1.2.3":                "refs/tags/v1.2.3",
		"refs/tags/v1.2.3":      "refs/tags/v1.2.3",
		"release/2026-11":       "refs/tags/release/2026-11",
		"":                      "",
		"v 1":                   "",
		"v1..2":                 "",
		"refs/heads/main":       "",
		"refs/tags/refs/tags/v": "",
		"/v1":                   "",
		"v1/":                   "",
		"v1^{}":                 "",
	}
	for tag, want := range tests {
		t.Run(tag, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, NewTagRef(), types.StringValue(tag), types.StringUnknown())
			if want == "" {
				if err == nil || *err.FunctionArgument != 0 || !strings.Contains(err.Text, "is not the name of a tag") {
					t.Errorf("tag_ref = %s, %v; want an error that it isn't the name of a tag", got, err)
				}
				return
			}
			if err != nil || !got.Equal(types.StringValue(want)) {
				t.Errorf("tag_ref = %s, %v; want %s", got, err, want)
			}
		})
	}
}

func TestParseImportID(t *testing.T) {
	t.Parallel()
	kinds := map[string]attr.Type{"workspace_id": types.StringType, "id": types.StringType, "name": types.StringType}
	const id, workspace = "4f1c2a9e-8d3b-4b6a-9c57-2e0f6d1a7b38", "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	got, err := call(t, NewParseImportID(), types.StringValue(workspace+"/"+id), types.ObjectUnknown(kinds))
	want := types.ObjectValueMust(kinds, map[string]attr.Value{
		"workspace_id": types.StringValue(workspace), "id": types.StringValue(id), "name": types.StringNull(),
	})
	if err != nil || !got.Equal(want) {
		t.Errorf("parse_import_id = %s, %v; want %s", got, err, want)
	}
	if _, err := call(t, NewParseImportID(), types.StringValue("chat"), types.ObjectUnknown(kinds)); err == nil ||
		!strings.Contains(err.Text, `"chat" is not an import ID: use ID, WORKSPACE_ID/ID, name:NAME`) {
		t.Errorf("parse_import_id of a name: error = %v, want one with the accepted forms", err)
	}
}

func number(n float64) types.Number { return types.NumberValue(big.NewFloat(n)) }

func object(t *testing.T, values map[string]attr.Value) types.Dynamic {
	t.Helper()
	kinds := map[string]attr.Type{}
	for name, value := range values {
		kinds[name] = value.Type(t.Context())
	}
	return types.DynamicValue(types.ObjectValueMust(kinds, values))
}

func TestEffectiveResources(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ given, want map[string]attr.Value }{
		"nothing": {},
		"chain": {
			given: map[string]attr.Value{"cpu": number(0.1)},
			want: map[string]attr.Value{
				"cpu": number(0.1), "cpu_limit": number(0.2), "queue_cpu": number(0.1), "queue_cpu_limit": number(0.2),
			},
		},
		"what is set stays": {
			given: map[string]attr.Value{"memory_mb": number(512), "memory_limit_mb": number(600), "queue_memory_mb": number(256)},
			want: map[string]attr.Value{
				"memory_mb": number(512), "memory_limit_mb": number(600), "queue_memory_mb": number(256),
				"queue_memory_limit_mb": number(512),
			},
		},
		"null is not set": {
			given: map[string]attr.Value{"db_cpu": number(2), "db_cpu_limit": types.DynamicNull(), "db_memory_mb": types.NumberNull()},
			want:  map[string]attr.Value{"db_cpu": number(2), "db_cpu_limit": number(4), "db_memory_mb": types.NumberNull()},
		},
		"scales and the rest": {
			given: map[string]attr.Value{"min_scale": number(1), "max_scale": number(3), "service_account_name": types.StringValue("agent")},
			want: map[string]attr.Value{
				"min_scale": number(1), "max_scale": number(3), "queue_min_scale": number(1), "queue_max_scale": number(3),
				"service_account_name": types.StringValue("agent"),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, NewEffectiveResources(), object(t, test.given), types.DynamicUnknown())
			if want := object(t, test.want); err != nil || !got.Equal(want) {
				t.Errorf("effective_resources = %s, %v; want %s", got, err, want)
			}
		})
	}
}

func TestEffectiveResources_refuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		given types.Dynamic
		want  string
	}{
		"a text":            {types.DynamicValue(types.StringValue("cpu")), "not an object with fields such as cpu"},
		"a text for number": {object(t, map[string]attr.Value{"cpu": types.StringValue("1")}), "cpu must be a number, because cpu_limit is derived from it"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := call(t, NewEffectiveResources(), test.given, types.DynamicUnknown()); err == nil || !strings.Contains(err.Text, test.want) {
				t.Errorf("effective_resources = %s, %v; want an error with %q", got, err, test.want)
			}
		})
	}
}
