package framework_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// converted is a model with an attribute of each form.
type converted struct {
	Text    types.String  `tfsdk:"text"`
	Maybe   types.String  `tfsdk:"maybe"`
	Flag    types.Bool    `tfsdk:"flag"`
	Count   types.Int64   `tfsdk:"count"`
	Share   types.Float64 `tfsdk:"share"`
	List    types.List    `tfsdk:"list"`
	Set     types.Set     `tfsdk:"set"`
	Map     types.Map     `tfsdk:"map"`
	Nested  types.Object  `tfsdk:"nested"`
	Another types.String  `tfsdk:"another"`
}

// TestFlatten converts what a service returned, and keeps attributes that it doesn't have or that have another form.
func TestFlatten(t *testing.T) {
	t.Parallel()
	type object struct {
		Text   api.Source        `json:"text"`
		Maybe  *string           `json:"maybe,omitzero"`
		Flag   bool              `json:"flag"`
		Count  *int64            `json:"count"`
		Share  *float64          `json:"share"`
		List   []string          `json:"list"`
		Set    []string          `json:"set"`
		Map    map[string]string `json:"map"`
		Nested struct{}          `json:"nested"`
	}
	prior := converted{Text: types.StringUnknown(), Count: types.Int64Value(1), Nested: types.ObjectUnknown(nil), Another: types.StringValue("kept")}
	empty, count, share := "", int64(2), 0.5
	for name, test := range map[string]struct {
		object object
		want   converted
	}{
		"nothing": {object{}, converted{
			Flag: types.BoolValue(false), List: framework.TextList(nil), Set: framework.TextSet(nil), Map: framework.TextMap(nil),
			Nested: prior.Nested, Another: prior.Another,
		}},
		"everything": {
			object{
				Text: api.SourceGitHost, Maybe: &empty, Flag: true, Count: &count, Share: &share, List: []string{}, Set: []string{"a"},
				Map: map[string]string{"a": "b"},
			},
			converted{
				Text: types.StringValue("git_host"), Maybe: types.StringValue(""), Flag: types.BoolValue(true), Count: types.Int64Value(2),
				Share: types.Float64Value(0.5), List: framework.TextList([]string{}), Set: framework.TextSet([]string{"a"}),
				Map: framework.TextMap(map[string]string{"a": "b"}), Nested: prior.Nested, Another: prior.Another,
			},
		},
	} {
		if diff := cmp.Diff(test.want, framework.Flatten(prior, test.object)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestExpand sends the attributes that a request has, and of a change only those that differ.
func TestExpand(t *testing.T) {
	t.Parallel()
	type request struct {
		Text  api.Optional[api.Source]     `json:"text,omitzero"`
		Maybe *string                      `json:"maybe"`
		Flag  api.Optional[bool]           `json:"flag,omitzero"`
		Count int64                        `json:"count"`
		List  []string                     `json:"list"`
		Set   api.Optional[[]string]       `json:"set,omitzero"`
		Map   map[string]api.DecimalNumber `json:"map"`
	}
	text := "a"
	state := converted{
		Text: types.StringValue("git_host"), Maybe: types.StringValue("a"), Flag: types.BoolValue(false), Count: types.Int64Value(2),
		List: framework.TextList([]string{"a"}), Set: framework.TextSet(nil), Map: framework.TextMap(map[string]string{"a": "1"}),
	}
	whole := request{
		api.Some(api.SourceGitHost), &text, api.Some(false), 2, []string{"a"}, api.Some([]string{}), map[string]api.DecimalNumber{"a": "1"},
	}
	flagged, unknown, another := state, state, state
	flagged.Flag, unknown.Flag, another.Another = types.BoolValue(true), types.BoolUnknown(), types.StringValue("b")
	for name, test := range map[string]struct {
		from converted
		want request
	}{
		"everything":                  {state, whole},
		"nothing":                     {converted{}, request{}},
		"unknown":                     {converted{Text: types.StringUnknown()}, request{}},
		"a change":                    {framework.Changes(flagged, state), request{Flag: api.Some(true)}},
		"a change that isn't known":   {framework.Changes(unknown, state), request{}},
		"a change of something else":  {framework.Changes(another, state), request{}},
		"a change of nothing, at all": {framework.Changes(state, state), request{}},
	} {
		if diff := cmp.Diff(test.want, framework.Expand[request](test.from)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for planned, want := range map[*converted]bool{&state: false, &flagged: true, &unknown: true, &another: false} {
		if got := framework.MayDiffer[request](*planned, state); got != want {
			t.Errorf("MayDiffer(%v) = %t, want %t", *planned, got, want)
		}
	}
}
