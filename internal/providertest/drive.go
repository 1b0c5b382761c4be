package providertest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// Driven makes the calls of a CLI for one resource, one command after another, each in a provider process of its own. Its tests see
// every diagnostic, and can change the service between a plan and its apply.
type Driven struct {
	Plane *Plane
	// State is what the last command has stored.
	State core.Object

	t      *testing.T
	driver *core.Driver
}

// Drive drives a type of resource.
func (p *Plane) Drive(t *testing.T, typeName string) *Driven {
	t.Helper()
	return &Driven{Plane: p, t: t, driver: core.NewDriver(typeName, p.Factories()["agentplane"])}
}

func (d *Driven) command() *core.Command {
	d.t.Helper()
	command, err := d.driver.Command(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	return command
}

// Refresh refreshes the state, and returns what it reported.
func (d *Driven) Refresh() string {
	d.t.Helper()
	return Told(d.refresh(d.command()))
}

func (d *Driven) refresh(command *core.Command) []*tfprotov6.Diagnostic {
	d.t.Helper()
	now, out := command.Refresh(d.t.Context(), d.State)
	d.check(out)
	d.State = now
	return out.Diagnostics
}

// Plan refreshes and plans; nil destroys.
func (d *Driven) Plan(config map[string]any) (*core.Planned, string) {
	d.t.Helper()
	return d.plan(config, false)
}

// Replace refreshes and plans with -replace.
func (d *Driven) Replace(config map[string]any) (*core.Planned, string) {
	d.t.Helper()
	return d.plan(config, true)
}

func (d *Driven) plan(config map[string]any, replace bool) (*core.Planned, string) {
	d.t.Helper()
	command := d.command()
	read := d.refresh(command)
	plan := command.Plan
	if replace {
		plan = command.Replace
	}
	planned, out := plan(d.t.Context(), d.State, config)
	d.check(out)
	return planned, Told(append(read, out.Diagnostics...))
}

// PlanOnly plans without a refresh; nil destroys.
func (d *Driven) PlanOnly(config map[string]any) (*core.Planned, string) {
	d.t.Helper()
	planned, out := d.command().Plan(d.t.Context(), d.State, config)
	d.check(out)
	return planned, Told(out.Diagnostics)
}

// Apply applies a plan.
func (d *Driven) Apply(planned *core.Planned) string {
	d.t.Helper()
	now, out := d.command().Apply(d.t.Context(), planned)
	d.check(out)
	d.State = now
	return Told(out.Diagnostics)
}

// Import imports an object without storing it, and reports whether that succeeded.
func (d *Driven) Import(id string) (told string, ok bool) {
	d.t.Helper()
	_, out := d.command().Import(d.t.Context(), id)
	d.check(out)
	return Told(out.Diagnostics), !out.Failed()
}

// Make plans and applies, and expects no diagnostics.
func (d *Driven) Make(config map[string]any) {
	d.t.Helper()
	planned, told := d.Plan(config)
	if told += d.Apply(planned); told != "" {
		d.t.Fatal(told)
	}
}

// Text returns an attribute of the state.
func (d *Driven) Text(name string) string {
	value, _ := d.State.Attributes()[name].(string)
	return value
}

func (d *Driven) check(out core.Outcome) {
	d.t.Helper()
	if len(out.Broken) > 0 {
		d.t.Errorf("rules of core are broken: %v", out.Broken)
	}
}
