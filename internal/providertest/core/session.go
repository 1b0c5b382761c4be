package core

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/zclconf/go-cty/cty"
)

// Session runs operations one after another on its own state, each in a new process of the provider. The state survives failures.
type Session struct {
	provider *provider
	module   *module
	state    state
}

// state is kept from one operation to the next.
type state struct {
	objects map[string]Object
	outputs map[string]cty.Value
}

// NewSession begins with an empty state.
func NewSession(factories map[string]func() (tfprotov6.ProviderServer, error)) *Session {
	s := &Session{}
	for _, start := range factories {
		s.provider = newProvider(start)
	}
	return s
}

// Apply plans and applies a configuration, and returns the values of its outputs.
func (s *Session) Apply(ctx context.Context, source string) (outputs map[string]any, err error) {
	if s.module, err = parseModule(source, config.Variables{}); err == nil {
		err = s.planAndApply(ctx, false)
	}
	outputs = map[string]any{}
	for name, value := range s.state.outputs {
		outputs[name] = plain(value)
	}
	return outputs, err
}

// Destroy destroys everything in the state.
func (s *Session) Destroy(ctx context.Context) error { return s.planAndApply(ctx, true) }

func (s *Session) planAndApply(ctx context.Context, destroy bool) error {
	planned, err := s.plan(ctx, destroy, true)
	if err != nil {
		return err
	}
	return s.apply(ctx, planned)
}

// plan is what an apply will do.
type plan struct {
	module  *module
	changes map[string]*Planned
	// prior are the objects after the refresh.
	prior map[string]Object
}

// operation is one plan or apply.
type operation struct {
	*process
	module *module
	// values are those of nodes, once they are known or planned.
	values  map[string]cty.Value
	objects map[string]Object
	plan    *plan
}

// begin starts and configures a provider.
func (s *Session) begin(ctx context.Context, p *plan, objects map[string]Object) (*operation, Outcome) {
	started, err := s.provider.process()
	if err != nil {
		return nil, outcome(nil, err)
	}
	o := &operation{process: started, module: p.module, values: maps.Clone(p.module.given), objects: maps.Clone(objects), plan: p}
	if o.objects == nil {
		o.objects = map[string]Object{}
	}
	config, out := body(p.module.provider, o.schemas[configuration], o.values)
	if !out.Failed() {
		out = o.configure(ctx, config)
	}
	return o, out
}

// plan refreshes, if that is wanted, and plans. Where there is a choice in the order, it plans again in the reverse one, with a new
// provider, because the outcome must not depend on that.
func (s *Session) plan(ctx context.Context, destroy, refresh bool) (*plan, error) {
	m := s.module
	if destroy {
		m = &module{given: m.given, provider: m.provider}
	}
	needs := map[string][]string{}
	for at := range s.state.objects {
		needs[at] = nil
	}
	for at, n := range m.nodes {
		needs[at] = n.needs
	}
	planned := func(order []string) (*plan, Outcome) {
		p := &plan{module: m, changes: map[string]*Planned{}}
		o, out := s.begin(ctx, p, s.state.objects)
		if !out.Failed() {
			out = walk(order, needs, func(at string) Outcome { return o.planNode(ctx, at, refresh) })
			p.prior = o.objects
		}
		return p, out
	}
	forwards, backwards := sequence(needs, false), sequence(needs, true)
	p, out := planned(forwards)
	if slices.Equal(m.resources(forwards), m.resources(backwards)) {
		return p, out.Err()
	}
	again, outAgain := planned(backwards)
	if diff := cmp.Diff(p.lines(out), again.lines(outAgain)); diff != "" {
		return nil, fmt.Errorf("the outcome of the plan depends on the order:\n%s", diff)
	}
	return p, out.Err()
}

// resources are the addresses of the provider's resources.
func (m *module) resources(of []string) []string {
	return slices.DeleteFunc(slices.Clone(of), func(at string) bool {
		n, ok := m.nodes[at]
		return !ok || n.typeName == "" || n.typeName == terraformData || n.isData
	})
}

// lines are everything that users see of a plan.
func (p *plan) lines(out Outcome) []string {
	lines := slices.Clone(out.Broken)
	for _, d := range out.Diagnostics {
		lines = append(lines, fmt.Sprintf("%s: %s: %s", d.Severity, d.Summary, d.Detail))
	}
	for _, change := range p.show().ResourceChanges {
		data, err := json.Marshal(change)
		lines = append(lines, string(data), fmt.Sprint(err))
	}
	slices.Sort(lines)
	return lines
}

// store puts an object into the state, or removes one that doesn't exist.
func (o *operation) store(at string, now Object) {
	if o.objects[at] = now; !now.Exists() {
		delete(o.objects, at)
	}
}

// configured is the configuration of a node, validated by the provider.
func (o *operation) configured(ctx context.Context, at string) (kind, cty.Value, Outcome) {
	n := o.module.nodes[at]
	k, out := o.kind(n.typeName, n.isData)
	if out.Failed() {
		return k, cty.NilVal, out
	}
	config, out := body(n.arguments, k.schema, o.values)
	if !out.Failed() {
		out = k.validate(ctx, config)
	}
	return k, config, out
}

// planNode plans one node: what isn't configured anymore is destroyed.
func (o *operation) planNode(ctx context.Context, at string, refresh bool) Outcome {
	n, ok := o.module.nodes[at]
	prior, exists := o.objects[at]
	typeName, _, _ := strings.Cut(at, ".")
	switch {
	case ok && n.typeName == "":
		return o.evaluate(at)
	case ok && n.isData:
		return o.planData(ctx, at)
	case typeName == "data":
		delete(o.objects, at)
		return Outcome{}
	}
	k, out := o.kind(typeName, false)
	if out.Failed() {
		return out
	}
	if !exists {
		prior.value = k.null()
	} else if refresh {
		if prior, out = k.refresh(ctx, prior); out.Failed() {
			return out
		}
		o.store(at, prior)
	}
	config := k.null()
	if ok {
		var more Outcome
		_, config, more = o.configured(ctx, at)
		out.join(more)
	}
	if out.Failed() || !ok && !prior.Exists() {
		return out
	}
	planned, more := k.plan(ctx, prior, config, false)
	if out.join(more); !more.Failed() {
		o.plan.changes[at], o.values[at] = planned, planned.after.value
	}
	return out
}

// evaluate evaluates a local or an output.
func (o *operation) evaluate(at string) Outcome {
	value, diags := o.module.nodes[at].value.Value(scope(o.values))
	o.values[at] = value
	return invalid(diags)
}

// planData reads a data source, unless it depends on what is unknown, or on changes that the apply has still to make.
func (o *operation) planData(ctx context.Context, at string) Outcome {
	k, config, out := o.configured(ctx, at)
	if out.Failed() {
		return out
	}
	pending := slices.ContainsFunc(o.module.nodes[at].dependsOn, func(needed string) bool {
		planned, ok := o.plan.changes[needed]
		return ok && !planned.Empty()
	})
	if !pending && config.IsWhollyKnown() {
		return o.readData(ctx, k, at, config)
	}
	values := config.AsValueMap()
	for _, a := range k.attributes {
		if a.Computed && values[a.Name].IsNull() {
			values[a.Name] = cty.UnknownVal(values[a.Name].Type())
		}
	}
	o.values[at] = cty.ObjectVal(values)
	o.plan.changes[at] = &Planned{action: read, prior: o.objects[at], after: Object{value: o.values[at]}}
	return out
}

func (o *operation) readData(ctx context.Context, k kind, at string, config cty.Value) Outcome {
	value, out := k.data(ctx, config)
	o.store(at, Object{value: value})
	o.values[at] = value
	return out
}

// destroying ends the name of the step that destroys a resource; the step that writes it has the address as its name.
const destroying = " (destroy)"

// apply carries out a plan, in core's order: dependencies are created first and destroyed last, and what is replaced is destroyed
// first. The state is what core would store, even after a failure.
func (s *Session) apply(ctx context.Context, p *plan) error {
	s.state.objects = p.prior
	o, out := s.begin(ctx, p, p.prior)
	if out.Failed() {
		return out.Err()
	}
	needs := map[string][]string{}
	for at, n := range p.module.nodes {
		needs[at] = n.needs
	}
	for at, planned := range p.changes {
		if planned.action == destroy || planned.action == replace {
			needs[at+destroying] = p.beforeDestroying(at)
		}
		if planned.action == replace {
			needs[at] = append(slices.Clone(needs[at]), at+destroying)
		}
	}
	out = walk(sequence(needs, false), needs, func(name string) Outcome {
		if at, destroys := strings.CutSuffix(name, destroying); destroys {
			return o.destroy(ctx, at)
		}
		return o.write(ctx, name)
	})
	s.state = state{o.objects, map[string]cty.Value{}}
	for at, value := range o.values {
		if name, ok := strings.CutPrefix(at, "output."); ok {
			s.state.outputs[name] = value
		}
	}
	if out.Failed() {
		return fmt.Errorf("error running apply: %w", out.Err())
	}
	return nil
}

// beforeDestroying names the steps that end before a resource is destroyed: what depended on it is gone, or doesn't anymore.
func (p *plan) beforeDestroying(at string) (before []string) {
	for other, with := range p.changes {
		switch {
		case other == at || !with.prior.dependsOn[at]:
		case with.action == destroy || with.action == replace:
			before = append(before, other+destroying)
		case p.changes[at].action == destroy:
			before = append(before, other)
		}
	}
	return before
}

func (o *operation) destroy(ctx context.Context, at string) Outcome {
	typeName, _, _ := strings.Cut(at, ".")
	k, out := o.kind(typeName, false)
	if out.Failed() {
		return out
	}
	left, out := k.destroy(ctx, o.plan.changes[at])
	o.store(at, left)
	return out
}

// write creates or changes an object, reads a data source, or evaluates a local or an output.
func (o *operation) write(ctx context.Context, at string) Outcome {
	planned, changes := o.plan.changes[at]
	switch {
	case o.module.nodes[at].typeName == "":
		return o.evaluate(at)
	case !changes: // The plan has read it.
		o.values[at] = o.objects[at].value
		return Outcome{}
	case planned.action == noop:
		o.values[at] = planned.after.value
		return Outcome{}
	}
	k, config, out := o.configured(ctx, at)
	if out.Failed() {
		return out
	}
	if planned.action == read {
		return o.readData(ctx, k, at, config)
	}
	written, out := k.write(ctx, planned, config)
	written.dependsOn = o.module.ancestors(at)
	o.store(at, written)
	o.values[at] = written.value
	return out
}

// show is a plan as checks of terraform-plugin-testing take it, without outputs and marks of what is sensitive.
func (p *plan) show() *tfjson.Plan {
	shown := &tfjson.Plan{FormatVersion: "1.2", TerraformVersion: terraformVersion, PriorState: state{objects: p.prior}.show()}
	for _, at := range slices.Sorted(maps.Keys(p.changes)) {
		planned := p.changes[at]
		typeName, name, mode := split(at)
		shown.ResourceChanges = append(shown.ResourceChanges, &tfjson.ResourceChange{
			Address: at, Mode: mode, Type: typeName, Name: name, Change: &tfjson.Change{
				Actions: actionNames[planned.action], Before: plain(planned.prior.value), After: plain(planned.after.value),
				AfterUnknown: unknowns(planned.after.value),
			},
		})
	}
	return shown
}
