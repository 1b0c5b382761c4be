package core

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// TestDriver creates, fails, replaces, changes, copies and destroys a resource, and sees warnings and broken rules.
func TestDriver(t *testing.T) {
	t.Parallel()
	f := &fake{}
	d := NewDriver("fake_thing", func() (tfprotov6.ProviderServer, error) { return f, nil })
	var state Object
	apply := func(arguments map[string]any) (*Planned, Outcome) {
		t.Helper()
		c, err := d.Command(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		planned, out := c.Plan(t.Context(), state, arguments)
		if out.Failed() || planned.Empty() {
			return planned, out
		}
		state, out = c.Apply(t.Context(), planned)
		return planned, out
	}
	said := func(severity tfprotov6.DiagnosticSeverity) {
		f.applied = func(resp *tfprotov6.ApplyResourceChangeResponse) {
			resp.Diagnostics = []*tfprotov6.Diagnostic{{Severity: severity, Summary: "Too bad"}}
		}
	}

	said(tfprotov6.DiagnosticSeverityError)
	if _, out := apply(map[string]any{"name": "a"}); !out.Failed() || !state.Exists() || !state.Tainted() {
		t.Errorf("after a failed creation: %v, tainted %t", out, state.Tainted())
	}
	said(tfprotov6.DiagnosticSeverityWarning)
	planned, out := apply(map[string]any{"name": "a"})
	if out.Failed() || len(out.Diagnostics) != 2 || state.Tainted() || !strings.Contains(planned.String(), "delete create") {
		t.Errorf("after a replacement: %v, tainted %t, planned %s", out, state.Tainted(), planned)
	}
	if planned, _ := apply(map[string]any{"name": "a"}); !planned.Empty() {
		t.Errorf("the next plan: %s", planned)
	}
	said(tfprotov6.DiagnosticSeverityError)
	if _, out := apply(map[string]any{"name": "b"}); !out.Failed() || state.Tainted() || state.Attributes()["name"] != "b" {
		t.Errorf("after a failed update: %v, tainted %t, %v", out, state.Tainted(), state.Attributes())
	}
	copied, err := state.Copy(strings.NewReplacer("b", "c"))
	if err != nil || copied.Attributes()["name"] != "c" || state.Attributes()["name"] != "b" {
		t.Errorf("copied %v: %v", copied.Attributes(), err)
	}
	f.applied = func(resp *tfprotov6.ApplyResourceChangeResponse) {
		resp.NewState = changed(resp.NewState, set("name", cty.StringVal("other")))
	}
	if _, out := apply(map[string]any{"name": "c"}); len(out.Broken) == 0 {
		t.Error("a result that differs from the plan is accepted")
	}
	f.applied = func(resp *tfprotov6.ApplyResourceChangeResponse) {
		resp.NewState = &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}
		resp.Diagnostics = []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Too bad"}}
	}
	for _, arguments := range []map[string]any{{"name": "d"}, nil} {
		before := state.Attributes()["name"]
		if _, out := apply(arguments); !out.Failed() || state.Tainted() || state.Attributes()["name"] != before {
			t.Errorf("after an error without an object: %v, tainted %t, %v", out, state.Tainted(), state.Attributes())
		}
	}
	f.applied = nil
	if _, out := apply(nil); out.Failed() || state.Exists() {
		t.Errorf("after a destruction: %v, exists %t", out, state.Exists())
	}
}
