package modelprice

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// answered returns a response with every field.
func answered() api.ModelPrice {
	return api.ModelPrice{
		ID: "id", TenantID: new("w"), CreatedAt: new("2026-05-02T10:00:00.000000Z"), ModelPriceRequest: api.ModelPriceRequest{
			Name: "Large", MatchPattern: "^large$", MatchPath: []string{"model"}, Provider: new("example"),
			StartTime: new("2026-06-01T00:00:00.000000Z"), PromptTokenThreshold: new(int64(0)), PromptCost: "0.0000020", CompletionCost: "3e-6",
			PromptCostDetails:     map[string]api.DecimalNumber{"cache_read": "1e-6"},
			CompletionCostDetails: map[string]api.DecimalNumber{"reasoning": "0"},
		},
	}
}

func texts(of map[string]string) types.Map {
	elements := map[string]attr.Value{}
	for key, value := range of {
		elements[key] = types.StringValue(value)
	}
	return types.MapValueMust(types.StringType, elements)
}

// TestNewModel_roundTrip converts a response to a request: nothing may be lost, and nothing left to change.
func TestNewModel_roundTrip(t *testing.T) {
	t.Parallel()
	bare := api.ModelPrice{ID: "id", ModelPriceRequest: api.ModelPriceRequest{
		Name: "Any", MatchPattern: ".", MatchPath: []string{"model"}, PromptCost: "0", CompletionCost: "0",
	}}
	for name, answer := range map[string]api.ModelPrice{"whole": answered(), "bare": bare} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(model{}, answer)
			if diff := cmp.Diff(answer.ModelPriceRequest, m.toRequest()); diff != "" {
				t.Errorf("request (-response +got):\n%s", diff)
			}
			if m.differs(m) {
				t.Error("the model differs from itself, want no changes")
			}
		})
	}
}

// TestNewModel_unanswered checks the values of fields that an installation omits.
func TestNewModel_unanswered(t *testing.T) {
	t.Parallel()
	silent := answered()
	silent.CreatedAt, silent.MatchPath, silent.Provider, silent.StartTime = nil, nil, new(""), new("")
	silent.PromptCostDetails, silent.CompletionCostDetails = map[string]api.DecimalNumber{}, map[string]api.DecimalNumber{"audio": ""}
	want := newModel(model{}, answered())
	want.CreatedAt, want.MatchPath, want.ModelProvider, want.StartTime = types.StringNull(), defaultMatchPath, types.StringNull(), types.StringNull()
	want.PromptCostDetails, want.CompletionCostDetails = types.MapNull(types.StringType), types.MapNull(types.StringType)
	if diff := cmp.Diff(want, newModel(model{}, silent), cmp.AllowUnexported(model{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	empty := model{}
	empty.PromptCostDetails = texts(nil)
	if got := newModel(empty, silent); !got.PromptCostDetails.Equal(texts(nil)) {
		t.Errorf("prompt_cost_details = %s, want the previous empty map", got.PromptCostDetails)
	}
}

// TestSpelling checks that the state is kept only if a different spelling means the same.
func TestSpelling(t *testing.T) {
	t.Parallel()
	state := newModel(model{}, answered())
	unknown := types.MapUnknown(types.StringType)
	for name, test := range map[string]struct {
		change func(*model)
		same   bool
	}{
		"nothing":           {func(*model) {}, true},
		"a price":           {func(m *model) { m.PromptCost = types.StringValue("2E-6") }, true},
		"another price":     {func(m *model) { m.PromptCost = types.StringValue("2.0000001e-6") }, false},
		"an unknown price":  {func(m *model) { m.CompletionCost = types.StringUnknown() }, false},
		"no price":          {func(m *model) { m.CompletionCost = types.StringValue("x") }, false},
		"a time":            {func(m *model) { m.StartTime = types.StringValue("2026-05-31T20:00:00-04:00") }, true},
		"another time":      {func(m *model) { m.StartTime = types.StringValue("2026-05-31T20:00:00Z") }, false},
		"no time":           {func(m *model) { m.StartTime = types.StringNull() }, false},
		"details":           {func(m *model) { m.PromptCostDetails = texts(map[string]string{"cache_read": "0.000001"}) }, true},
		"other details":     {func(m *model) { m.PromptCostDetails = texts(map[string]string{"cache_read": "0.1"}) }, false},
		"details of others": {func(m *model) { m.PromptCostDetails = texts(map[string]string{"audio": "1e-6"}) }, false},
		"further details":   {func(m *model) { m.PromptCostDetails = texts(map[string]string{"cache_read": "1e-6", "audio": "1"}) }, false},
		"no details":        {func(m *model) { m.CompletionCostDetails = types.MapNull(types.StringType) }, false},
		"unknown details":   {func(m *model) { m.CompletionCostDetails = unknown }, false},
		"a detail not known": {func(m *model) {
			m.CompletionCostDetails = types.MapValueMust(types.StringType, map[string]attr.Value{"reasoning": types.StringUnknown()})
		}, false},
		"a name":      {func(m *model) { m.Name = types.StringValue("large") }, false},
		"a pattern":   {func(m *model) { m.MatchPattern = types.StringValue("large") }, false},
		"a path":      {func(m *model) { m.MatchPath = defaultMatchPath }, false},
		"a provider":  {func(m *model) { m.ModelProvider = types.StringNull() }, false},
		"a threshold": {func(m *model) { m.PromptTokenThreshold = types.Int64Null() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned := state
			test.change(&planned)
			if planned.differs(state) == test.same {
				t.Errorf("differs = %v, want %v", !test.same, test.same)
			}
			updated := planned.updated(state)
			if want := map[bool]model{true: state, false: planned}[test.same]; !cmp.Equal(want, updated, cmp.AllowUnexported(model{})) {
				t.Errorf("updated (-want +got):\n%s", cmp.Diff(want, updated, cmp.AllowUnexported(model{})))
			}
		})
	}
}

// TestUpdated checks that attributes that an update can't change are known, and that null stays null.
func TestUpdated(t *testing.T) {
	t.Parallel()
	state := newModel(model{}, answered())
	state.WorkspaceID, state.CreatedAt, state.PromptCostDetails = types.StringValue("w"), types.StringNull(), texts(nil)
	planned := state
	planned.ID, planned.CreatedAt = types.StringUnknown(), types.StringUnknown()
	planned.PromptCostDetails = types.MapNull(types.StringType)
	want := state
	want.PromptCostDetails = types.MapNull(types.StringType)
	if diff := cmp.Diff(want, planned.updated(state), cmp.AllowUnexported(model{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if planned.differs(state) {
		t.Error("differs with null instead of an empty map = true, want false")
	}
}

// TestAttributePath translates locations in the API's errors to arguments.
func TestAttributePath(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		loc  []api.LocStep
		want path.Path
	}{
		"same word":    {[]api.LocStep{api.Key("match_pattern")}, path.Root("match_pattern")},
		"provider":     {[]api.LocStep{api.Key("provider")}, path.Root("model_provider")},
		"unknown word": {[]api.LocStep{api.Key("tenant_id")}, path.Empty()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, _ := attributePath(test.loc); !got.Equal(test.want) {
				t.Errorf("path = %s, want %s", got, test.want)
			}
		})
	}
}
