package providertest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// Followed is a Driven resource whose calls are expected to succeed, for tests of many changes, one after another.
type Followed struct {
	*Driven
	// Diags are those of the last apply, and of the calls after it.
	Diags []*tfprotov6.Diagnostic
}

// Follow returns a resource of a type that doesn't exist yet.
func (p *Plane) Follow(t *testing.T, typeName string) *Followed {
	t.Helper()
	return &Followed{Driven: p.Drive(t, typeName)}
}

// Attributes are those in the state; nil without a resource.
func (d *Followed) Attributes() map[string]any {
	if !d.State.Exists() {
		return nil
	}
	return d.State.Attributes()
}

// Refresh reads the resource.
func (d *Followed) Refresh() {
	d.t.Helper()
	if d.State.Exists() {
		now, out := d.command().Refresh(d.t.Context(), d.State)
		d.ok(out)
		d.State = now
	}
}

// Import imports the resource in place of what the state has, and reports whether that was possible.
func (d *Followed) Import(id string) bool {
	d.t.Helper()
	now, out := d.command().Import(d.t.Context(), id)
	if d.Diags = out.Diagnostics; out.Failed() {
		return false
	}
	d.State = now
	return true
}

// Refused plans a configuration, nil for a destruction, and reports whether that fails.
func (d *Followed) Refused(config map[string]any) bool {
	d.t.Helper()
	_, out := d.command().Plan(d.t.Context(), d.State, config)
	d.Diags = out.Diagnostics
	return out.Failed()
}

// Apply plans a configuration, nil for a destruction, and applies the plan after what happens meanwhile. It reports whether the plan had
// changes.
func (d *Followed) Apply(config map[string]any, meanwhile ...func()) bool {
	d.t.Helper()
	d.Diags = nil
	if config == nil && !d.State.Exists() {
		return false
	}
	planned, out := d.command().Plan(d.t.Context(), d.State, config)
	d.ok(out)
	if planned.Empty() {
		return false
	}
	for _, happens := range meanwhile {
		happens()
	}
	now, out := d.command().Apply(d.t.Context(), planned)
	d.ok(out)
	d.State = now
	return true
}

// ok expects a call to succeed, and keeps its diagnostics.
func (d *Followed) ok(out core.Outcome) {
	d.t.Helper()
	d.Diags = append(d.Diags, out.Diagnostics...)
	if out.Failed() {
		d.t.Fatalf("%v%s", out.Broken, Told(out.Diagnostics))
	}
}
