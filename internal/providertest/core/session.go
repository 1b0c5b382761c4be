package core

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	// order is that in which the objects were created.
	order []string
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
	// needs are what each node, and each object that is left, refers to; order has what a node needs before it.
	needs map[string][]string
	order []string
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

// plan refreshes, if that is wanted, and plans.
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
	p := &plan{module: m, changes: map[string]*Planned{}, needs: needs, order: sequence(needs)}
	o, out := s.begin(ctx, p, s.state.objects)
	if !out.Failed() {
		out = walk(p.order, needs, func(at string) Outcome { return o.planNode(ctx, at, refresh) })
		p.prior = o.objects
	}
	return p, out.Err()
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

// apply carries out a plan: it destroys what has to go, also what is replaced, in the reverse order of its creation, and then creates and
// changes the rest, dependencies first. A failed destruction ends it. Core destroys what is no longer referred to after the changes instead:
// a test case that removes one of two resources where the order matters needs a CLI. The state is what core would store, even after a failure.
func (s *Session) apply(ctx context.Context, p *plan) error {
	s.state.objects = p.prior
	o, out := s.begin(ctx, p, p.prior)
	if out.Failed() {
		return out.Err()
	}
	for _, at := range slices.Backward(s.state.order) {
		if !out.Failed() {
			out.join(o.destroy(ctx, at))
		}
	}
	if !out.Failed() {
		out.join(walk(p.order, p.needs, func(at string) Outcome { return o.write(ctx, at) }))
	}
	s.state = state{o.objects, map[string]cty.Value{}, p.order}
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

// destroy destroys an object if the plan says so.
func (o *operation) destroy(ctx context.Context, at string) Outcome {
	planned, changes := o.plan.changes[at]
	if !changes || planned.action != destroy && planned.action != replace {
		return Outcome{}
	}
	typeName, _, _ := strings.Cut(at, ".")
	k, out := o.kind(typeName, false)
	if out.Failed() {
		return out
	}
	left, out := k.destroy(ctx, planned)
	o.store(at, left)
	return out
}

// write creates or changes an object, reads a data source, or evaluates a local or an output.
func (o *operation) write(ctx context.Context, at string) Outcome {
	n, configured := o.module.nodes[at]
	planned, changes := o.plan.changes[at]
	switch {
	case !configured: // It has been destroyed.
		return Outcome{}
	case n.typeName == "":
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
