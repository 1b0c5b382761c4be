package core

import (
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// TestSession plans, applies, fails, repairs and destroys: the state is what the last apply left, whether it failed or not.
func TestSession(t *testing.T) {
	t.Parallel()
	f := &fake{}
	s := NewSession(t, f.factories())
	if err := s.Configure(`resource "fake_thing" {`); err == nil {
		t.Error("a configuration that can't be read was taken")
	}
	configured := func(source string) {
		t.Helper()
		if err := s.Configure(source); err != nil {
			t.Fatal(err)
		}
	}
	planned := func(destroy bool, want tfjson.Action) {
		t.Helper()
		shown, err := s.Plan(destroy)
		if err != nil {
			t.Fatal(err)
		}
		if got := shown.ResourceChanges[0].Change.Actions; got[0] != want {
			t.Errorf("planned %v, not %s", got, want)
		}
	}
	wantTainted := func(want ...bool) { // Whether each resource is tainted.
		t.Helper()
		shown, err := s.State()
		if err != nil {
			t.Fatal(err)
		}
		var got []bool
		if shown.Values != nil {
			for _, each := range shown.Values.RootModule.Resources {
				got = append(got, each.Tainted)
			}
		}
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("the state holds %v, not %v", got, want)
		}
	}
	if err := s.Apply(); err == nil || !strings.Contains(err.Error(), "no plan") {
		t.Errorf("applied without a plan: %v", err)
	}
	configured(thing)
	planned(false, tfjson.ActionCreate)
	f.applied = func(resp *tfprotov6.ApplyResourceChangeResponse) {
		resp.Diagnostics = append(resp.Diagnostics, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Too bad"})
	}
	if err := s.Apply(); err == nil || !strings.Contains(err.Error(), "Too bad") {
		t.Errorf("the failure was not told: %v", err)
	}
	wantTainted(true)
	f.applied = nil
	planned(false, tfjson.ActionDelete) // And created again.
	if err := s.Apply(); err != nil {
		t.Error(err)
	}
	wantTainted(false)
	planned(true, tfjson.ActionDelete)
	if err := s.Apply(); err != nil {
		t.Error(err)
	}
	wantTainted()
	if err := s.Import("fake_thing.other", "1"); err == nil || !strings.Contains(err.Error(), "not configured") {
		t.Errorf("imported what isn't configured: %v", err)
	}
}
