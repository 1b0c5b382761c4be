package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// callLog is what a provider was asked.
type callLog struct {
	mu    sync.Mutex
	lines []string
}

func (l *callLog) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// tracer adds the name of each call to the private data that the call returns, so that private data name the calls before.
type tracer struct {
	tfprotov6.ProviderServer
	log *callLog
}

// enter logs a call, and returns the private data of the provider itself and those that the call returns.
func (tr tracer) enter(call string, private []byte, values ...*tfprotov6.DynamicValue) (own []byte, leave func([]byte) []byte) {
	own, trail, _ := bytes.Cut(private, []byte("\n"))
	keys := map[string]json.RawMessage{}
	_ = json.Unmarshal(own, &keys) // There may be none.
	parts := []string{fmt.Sprintf("%s after [%s] with %q", call, trail, slices.Sorted(maps.Keys(keys)))}
	for _, v := range values {
		if null, err := v.IsNull(); err == nil && null {
			parts = append(parts, "null")
		} else {
			parts = append(parts, "an object")
		}
	}
	tr.log.add(strings.Join(parts, ", "))
	if len(own) == 0 {
		own = nil
	}
	return own, func(returned []byte) []byte {
		return slices.Concat(returned, []byte("\n"+strings.TrimSpace(string(trail)+" "+call)))
	}
}

// ReadResource implements tfprotov6.ResourceServer.
func (tr tracer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	own, leave := tr.enter("read", req.Private, req.CurrentState)
	req.Private = own
	resp, err := tr.ProviderServer.ReadResource(ctx, req)
	if err == nil {
		resp.Private = leave(resp.Private)
	}
	return resp, err
}

// PlanResourceChange implements tfprotov6.ResourceServer.
func (tr tracer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	own, leave := tr.enter("plan", req.PriorPrivate, req.PriorState, req.ProposedNewState)
	req.PriorPrivate = own
	resp, err := tr.ProviderServer.PlanResourceChange(ctx, req)
	if err == nil {
		resp.PlannedPrivate = leave(resp.PlannedPrivate)
	}
	return resp, err
}

// ApplyResourceChange implements tfprotov6.ResourceServer.
func (tr tracer) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	own, leave := tr.enter("apply", req.PlannedPrivate, req.PriorState, req.PlannedState)
	req.PlannedPrivate = own
	resp, err := tr.ProviderServer.ApplyResourceChange(ctx, req)
	if err == nil {
		resp.Private = leave(resp.Private)
	}
	return resp, err
}

// ImportResourceState implements tfprotov6.ResourceServer.
func (tr tracer) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	_, leave := tr.enter("import", nil)
	resp, err := tr.ProviderServer.ImportResourceState(ctx, req)
	if err == nil {
		for _, one := range resp.ImportedResources {
			one.Private = leave(one.Private)
		}
	}
	return resp, err
}

// commands are those of a CLI for one deployment.
type commands interface {
	apply(config map[string]any)
	replace(config map[string]any)
	taint()
	forget()
	move(config map[string]any)
	// adopt applies an import block, and importID is "import".
	adopt(config map[string]any, id string)
	importID(id string)
}

// driverCommands are those of the driver.
type driverCommands struct {
	*cell
	state core.Object
}

func (d *driverCommands) ok(out core.Outcome) {
	d.t.Helper()
	if out.Failed() {
		d.t.Fatalf("%v", out)
	}
}

// refreshed begins a command with a refresh.
func (d *driverCommands) refreshed() *core.Command {
	d.t.Helper()
	command := d.command()
	now, out := command.Refresh(d.t.Context(), d.state)
	d.ok(out)
	d.state = now
	return command
}

func (d *driverCommands) carryOut(planned *core.Planned, out core.Outcome) {
	d.t.Helper()
	d.ok(out)
	d.state, out = d.command().Apply(d.t.Context(), planned)
	d.ok(out)
}

func (d *driverCommands) apply(config map[string]any) {
	d.t.Helper()
	command := d.refreshed()
	d.carryOut(command.Plan(d.t.Context(), d.state, config))
}

func (d *driverCommands) replace(config map[string]any) {
	d.t.Helper()
	command := d.refreshed()
	d.carryOut(command.Replace(d.t.Context(), d.state, config))
}

func (d *driverCommands) taint()                     { d.state = d.state.Taint() }
func (d *driverCommands) forget()                    { d.state = core.Object{} }
func (d *driverCommands) move(config map[string]any) { d.apply(config) }

// imported begins a command with an import.
func (d *driverCommands) imported(id string) *core.Command {
	d.t.Helper()
	command := d.command()
	now, out := command.Import(d.t.Context(), id)
	d.ok(out)
	d.state = now
	return command
}

func (d *driverCommands) importID(id string) { d.imported(id) }

func (d *driverCommands) adopt(config map[string]any, id string) {
	d.t.Helper()
	command := d.imported(id)
	d.carryOut(command.Plan(d.t.Context(), d.state, config))
}

// cliCommands are those of a real CLI. The deployment is called it, or other after a move.
type cliCommands struct {
	*cli
	typeName, called string
}

func (c *cliCommands) address() string { return c.typeName + "." + c.called }

func (c *cliCommands) must(args ...string) {
	c.t.Helper()
	if _, err := c.run(args...); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cliCommands) configure(config map[string]any, more map[string]any) {
	c.t.Helper()
	file := map[string]any{"resource": map[string]any{c.typeName: map[string]any{c.called: config}}}
	maps.Copy(file, more)
	if err := os.WriteFile(filepath.Join(c.directory, "main.tf.json"), []byte(encoded(file)), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cliCommands) plan(args ...string) {
	c.t.Helper()
	c.must(append([]string{"plan", "-out=planned"}, args...)...)
	c.must("apply", "planned")
}

func (c *cliCommands) apply(config map[string]any) {
	c.configure(config, nil)
	c.plan()
}

func (c *cliCommands) replace(config map[string]any) {
	c.configure(config, nil)
	c.plan("-replace=" + c.address())
}

func (c *cliCommands) taint()             { c.must("taint", c.address()) }
func (c *cliCommands) forget()            { c.must("state", "rm", c.address()) }
func (c *cliCommands) importID(id string) { c.must("import", c.address(), id) }

func (c *cliCommands) move(config map[string]any) {
	from := c.address()
	c.called = "other"
	c.configure(config, map[string]any{"moved": []any{map[string]any{"from": from, "to": c.address()}}})
	c.plan()
}

func (c *cliCommands) adopt(config map[string]any, id string) {
	c.configure(config, map[string]any{"import": []any{map[string]any{"to": c.address(), "id": id}}})
	c.plan()
}

// TestAccDriver_private runs commands with the driver and with a real CLI: every call gets the same private data, through the same
// calls, with or without an object.
func TestAccDriver_private(t *testing.T) {
	if os.Getenv("TF_ACC") == "" {
		t.Skip("Acceptance tests skipped unless env 'TF_ACC' set")
	}
	t.Parallel()
	subject := subjects[slices.IndexFunc(subjects, func(s subject) bool { return s.name == "deployment" })]
	with := func(c *cell, name string) map[string]any {
		i := slices.IndexFunc(subject.changes, func(e edit) bool { return e.name == name })
		return changed(c.config, subject.changes[i], c.at)
	}
	id := func(c *cell) string { return c.look(c.name)[0].id }
	remove := func(c *cell) {
		c.call(http.MethodDelete, subject.collection+"/"+id(c), nil)
		c.clock.Advance(2 * labRollout)
	}
	steps := []struct {
		name string
		run  func(c *cell, do commands)
	}{
		{"created", func(c *cell, do commands) { do.apply(c.config) }},
		{"replaced on request", func(c *cell, do commands) { do.replace(c.config) }},
		{"moved", func(c *cell, do commands) { do.move(with(c, "image")) }},
		{"replaced", func(c *cell, do commands) { do.apply(with(c, "namespace")) }},
		{"gone", func(c *cell, do commands) {
			remove(c)
			do.apply(c.config)
		}},
		{"tainted", func(c *cell, do commands) {
			do.taint()
			do.apply(c.config)
		}},
		{"imported", func(c *cell, do commands) {
			do.forget()
			do.importID(id(c))
			do.apply(with(c, "image"))
		}},
		{"imported again", func(c *cell, do commands) {
			do.forget()
			do.adopt(with(c, "image"), id(c))
		}},
		{"gone, replaced on request", func(c *cell, do commands) {
			remove(c)
			do.replace(c.config)
		}},
		{"tainted and gone", func(c *cell, do commands) {
			do.taint()
			remove(c)
			do.apply(c.config)
		}},
		{"unchanged", func(c *cell, do commands) { do.apply(c.config) }},
	}
	calls := func(start func(*cell, func() (tfprotov6.ProviderServer, error)) commands) string {
		l := newLab(t, subject, api.Neutral, false)
		t.Cleanup(l.close)
		log := &callLog{}
		traced := func() (tfprotov6.ProviderServer, error) { return tracer{l.provide(), log}, nil }
		l.driver = core.NewDriver(subject.typeName, traced)
		c := l.newCell()
		do := start(c, traced)
		for _, step := range steps {
			log.add(step.name + ":")
			step.run(c, do)
		}
		return strings.Join(log.lines, "\n")
	}
	want := calls(func(_ *cell, traced func() (tfprotov6.ProviderServer, error)) commands {
		return &cliCommands{cli: newCLI(t, traced), typeName: subject.typeName, called: "it"}
	})
	got := calls(func(c *cell, _ func() (tfprotov6.ProviderServer, error)) commands { return &driverCommands{cell: c} })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-CLI +driver):\n%s", diff)
	}
	t.Log(want)
}
