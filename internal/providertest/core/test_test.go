package core

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/zclconf/go-cty/cty"
)

const thing = `resource "fake_thing" "it" {
  name   = "a"
  secret = "s3cret"
}
`

func step(source string, checks ...plancheck.PlanCheck) resource.TestStep {
	return resource.TestStep{Config: source, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: checks}}
}

func testCase(f *fake, steps ...resource.TestStep) resource.TestCase {
	return resource.TestCase{ProtoV6ProviderFactories: f.factories(), Steps: steps}
}

// TestRules breaks each rule of Terraform's core once. No test may pass with such a provider.
func TestRules(t *testing.T) {
	t.Parallel()
	planned := func(name string, value cty.Value) *fake {
		return &fake{planned: func(resp *tfprotov6.PlanResourceChangeResponse) {
			resp.PlannedState = changed(resp.PlannedState, set(name, value))
		}}
	}
	applied := func(name string, value cty.Value) *fake {
		return &fake{applied: func(resp *tfprotov6.ApplyResourceChangeResponse) {
			resp.NewState = changed(resp.NewState, set(name, value))
		}}
	}
	shifting := &fake{}
	shifting.planned = func(resp *tfprotov6.PlanResourceChangeResponse) {
		resp.PlannedState = changed(resp.PlannedState, set("size", cty.NumberIntVal(shifting.plans)))
	}
	// something replaces a null value.
	something := func(v *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
		as, err := newSchema(fakeSchema)
		if err != nil {
			panic(err)
		}
		if object, err := as.decode(v); err != nil || !object.IsNull() {
			return v
		}
		return as.encode(cty.ObjectVal(map[string]cty.Value{
			"id": cty.StringVal("1"), "name": cty.StringVal("a"), "size": cty.NumberIntVal(3), "secret": cty.NullVal(cty.String),
			"nested": cty.NullVal(as.ty.AttributeType("nested")),
		}))
	}
	reads := 0
	for name, test := range map[string]struct {
		fake *fake
		want string
	}{
		"plans something else than what is configured": {planned("name", cty.StringVal("b")), "Provider produced invalid plan"},
		"plans a write-only value":                     {planned("secret", cty.StringVal("s3cret")), ".secret: a write-only value was returned"},
		"plans what is required as unknown":            {planned("name", cty.UnknownVal(cty.String)), "Provider produced invalid plan"},
		"plans something else the second time":         {shifting, "Provider produced inconsistent final plan"},
		"applies something else than what is planned":  {applied("name", cty.StringVal("b")), "Provider produced inconsistent result after apply"},
		"applies null where a value is planned":        {applied("name", cty.NullVal(cty.String)), "Provider produced inconsistent result after apply"},
		"leaves something unknown":                     {applied("size", cty.UnknownVal(cty.Number)), ".size: still unknown"},
		"returns a write-only value":                   {applied("secret", cty.StringVal("s3cret")), "a write-only value was returned"},
		"applies to nothing": {&fake{applied: func(resp *tfprotov6.ApplyResourceChangeResponse) {
			resp.NewState, resp.NewIdentity = nil, nil
		}}, "nothing is there"},
		"loses the identity": {&fake{applied: func(resp *tfprotov6.ApplyResourceChangeResponse) { resp.NewIdentity = nil }}, "there is no identity"},
		"reads another identity": {&fake{read: func(resp *tfprotov6.ReadResourceResponse) {
			resp.NewIdentity = identityOf("2")
		}}, "the identity has changed"},
		"reads something unknown": {&fake{read: func(resp *tfprotov6.ReadResourceResponse) {
			resp.NewState = changed(resp.NewState, set("size", cty.UnknownVal(cty.Number)))
		}}, ".size: still unknown"},
		"reads something else every time": {&fake{read: func(resp *tfprotov6.ReadResourceResponse) {
			reads++
			resp.NewState = changed(resp.NewState, set("name", cty.StringVal(strings.Repeat("x", reads))))
		}}, "the plan was not empty"},
		"asks for the rules of an older SDK": {&fake{planned: func(resp *tfprotov6.PlanResourceChangeResponse) {
			resp.UnsafeToUseLegacyTypeSystem = true //nolint:staticcheck // Nobody may.
		}}, "the rules of an older SDK"},
		"leaves something of what is destroyed": {&fake{applied: func(resp *tfprotov6.ApplyResourceChangeResponse) {
			resp.NewState = something(resp.NewState)
		}}, "something is left of what was destroyed"},
		"plans something for a destruction": {&fake{planned: func(resp *tfprotov6.PlanResourceChangeResponse) {
			resp.PlannedState = something(resp.PlannedState)
		}}, "Provider produced invalid plan"},
		"replaces because of what doesn't exist": {&fake{planned: func(resp *tfprotov6.PlanResourceChangeResponse) {
			resp.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("other")}
		}}, ".other: requires a replacement, but doesn't exist"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := run(t, testCase(test.fake, step(thing)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestTestCases expects a test case to fail if its expectations aren't met.
func TestTestCases(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		steps []resource.TestStep
		want  string
	}{
		"plan check": {
			[]resource.TestStep{step(thing, plancheck.ExpectResourceAction("fake_thing.it", plancheck.ResourceActionUpdate))}, "pre-apply plan check",
		},
		"check": {[]resource.TestStep{{Config: thing, Check: resource.TestCheckResourceAttr("fake_thing.it", "size", "4")}}, "check failed"},
		"expected error": {
			[]resource.TestStep{{Config: thing, ExpectError: regexp.MustCompile("never")}}, "expected an error but got none",
		},
		"another error": {
			[]resource.TestStep{{Config: `resource "fake_thing" "it" {}`, ExpectError: regexp.MustCompile("never")}}, `The argument "name" is required`,
		},
		"empty plan":      {[]resource.TestStep{{Config: thing, ExpectNonEmptyPlan: true}}, "expected a non-empty plan"},
		"needs a CLI":     {[]resource.TestStep{{Config: thing, Query: true}}, `needs a CLI, because of ["Query"]`},
		"lifecycle":       {[]resource.TestStep{step(strings.Replace(thing, "}\n", "  lifecycle {}\n}\n", 1))}, "lifecycle"},
		"unknown block":   {[]resource.TestStep{step("module \"m\" {}\n" + thing)}, `Blocks of type "module" are not expected here`},
		"outside a block": {[]resource.TestStep{step("a = 1\n" + thing)}, `An argument named "a" is not expected here`},
		"no name":         {[]resource.TestStep{step(`resource "fake_thing" {}`)}, "Missing name for resource"},
		"no type":         {[]resource.TestStep{step(`resource {}`)}, "Missing type for resource"},
		"unknown type":    {[]resource.TestStep{step(`resource "fake_other" "it" {}`)}, "Invalid resource type"},
		"unknown name":    {[]resource.TestStep{step(`resource "fake_thing" "it" { nam = "a" }`)}, `An argument named "nam" is not expected here`},
		"wrong type":      {[]resource.TestStep{step(strings.Replace(thing, `"a"`, `["a"]`, 1))}, `Inappropriate value for attribute "name"`},
		"no variable":     {[]resource.TestStep{step("variable \"v\" {}\n" + thing)}, "var.v: no value for required variable"},
		"wrong reference": {[]resource.TestStep{step(strings.Replace(thing, `"a"`, `fake_thing.other.name`, 1))}, "fake_thing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := run(t, testCase(&fake{}, test.steps...))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestOrder expects dependencies to be created first and destroyed last, and removed resources to be destroyed.
func TestOrder(t *testing.T) {
	t.Parallel()
	const both = `resource "fake_thing" "a" {
  name = "a"
}
resource "fake_thing" "b" {
  name = "${fake_thing.a.id}-0"
}
resource "fake_thing" "c" {
  name = "${fake_thing.b.id}-1"
}
output "name" {
  value = fake_thing.c.name
}
`
	var order []string
	f := &fake{}
	f.applied = func(resp *tfprotov6.ApplyResourceChangeResponse) {
		as, err := newSchema(fakeSchema)
		if err != nil {
			t.Error(err)
			return
		}
		v, err := as.decode(resp.NewState)
		if err != nil {
			t.Error(err)
		}
		if v.IsNull() {
			order = append(order, "gone")
			return
		}
		order = append(order, v.GetAttr("name").AsString())
	}
	named := step(both, plancheck.ExpectUnknownValue("fake_thing.c", tfjsonpath.New("name")))
	named.Check = func(s *terraform.State) error {
		if got := s.RootModule().Resources["fake_thing.c"].Primary.Attributes["name"]; got != "1-1" {
			t.Errorf("got %q", got)
		}
		return nil
	}
	blocks := strings.SplitAfter(both, "}\n")
	fewer := step(blocks[0]+blocks[1], plancheck.ExpectResourceAction("fake_thing.c", plancheck.ResourceActionDestroy))
	none := step(blocks[0])
	Test(t, testCase(f, named, fewer, none))
	if order[0] != "a" || len(order) != 6 || strings.Join(order[3:], ",") != "gone,gone,gone" {
		t.Errorf("applied %q", order)
	}
}
