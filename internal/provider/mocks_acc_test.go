package provider_test

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// mockTexts are texts as the mocks of Terraform and of OpenTofu make them.
var mockTexts = []titled{{"text of Terraform's mocks", "k3v9x0qa"}, {"text of OpenTofu's mocks", "7TqZb0eXhY"}}

// walkMocks sets each argument that users may fill from another object, at any depth, to what mocks of Terraform and OpenTofu make of an
// attribute of its type: terraform test validates configurations with these values.
func (w *valueWalk) walkMocks(all []variation) {
	w.t.Helper()
	as := w.schema.ValueType()
	for _, v := range all {
		within, tried := w.tried[v.at+" "+v.title]
		if byHand.MatchString(v.at) || tried && (within || !v.within) {
			continue
		}
		w.tried[v.at+" "+v.title] = v.within
		config, err := tfprotov6.NewDynamicValue(as, encoded(as, v.config))
		if err != nil {
			w.t.Fatalf("%s %s: %v", v.at, v.title, err)
		}
		w.counts.tried.Add(1)
		if diags, err := w.validate(w.t.Context(), &config); !unsuited(diags) && (err != nil || hasError(diags)) {
			w.problem(v, "%v %s", err, providertest.Told(diags))
		}
	}
}

// byHand matches arguments that nobody fills from an attribute of another object alone: durations, and JSON, which an expression encodes.
var byHand = regexp.MustCompile(`(^|\.)(timeouts?|duration|statistics_window|time_to_first_token|\w+_json)(\.|\[|$)`)

func mocksOf(a *tfprotov6.SchemaAttribute, _ any) []titled {
	var all []titled
	for _, text := range mockTexts {
		if a.NestedType == nil {
			all = append(all, titled{text.title, mockOf(a.Type, text.value)})
		} else {
			all = append(all, titled{text.title, mockOfNested(a.NestedType, text.value)})
		}
	}
	return all
}

// mockOf is what mocks make of a type: false, zero, a random text, or nothing.
func mockOf(as tftypes.Type, text any) any {
	switch {
	case as.Is(tftypes.String):
		return text
	case as.Is(tftypes.Number):
		return 0
	case as.Is(tftypes.Bool):
		return false
	case as.Is(tftypes.List{}), as.Is(tftypes.Set{}):
		return []any{}
	case as.Is(tftypes.Object{}):
		members := map[string]any{}
		for name, member := range as.(tftypes.Object).AttributeTypes {
			members[name] = mockOf(member, text)
		}
		return members
	}
	return map[string]any{}
}

func mockOfNested(of *tfprotov6.SchemaObject, text any) any {
	switch of.Nesting {
	case tfprotov6.SchemaObjectNestingModeList, tfprotov6.SchemaObjectNestingModeSet:
		return []any{}
	case tfprotov6.SchemaObjectNestingModeMap:
		return map[string]any{}
	case tfprotov6.SchemaObjectNestingModeSingle, tfprotov6.SchemaObjectNestingModeInvalid:
	}
	members := map[string]any{}
	for _, a := range of.Attributes {
		switch {
		case !a.Required && !a.Optional || byHand.MatchString(a.Name):
		case a.NestedType == nil:
			members[a.Name] = mockOf(a.Type, text)
		default:
			members[a.Name] = mockOfNested(a.NestedType, text)
		}
	}
	return members
}
