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
	start  func() (*process, error)
	module *module
	state  state
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
		s.start = starter(start)
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

// Destroy destroys everything in the state, without a refresh.
func (s *Session) Destroy(ctx context.Context) error { return s.planAndApply(ctx, true) }

func (s *Session) planAndApply(ctx context.Context, destroy bool) error {
	planned, err := s.plan(ctx, destroy, !destroy)
	if err != nil {
		return err
	}
	return s.apply(ctx, planned)
}

// plan is what an apply will do.
type plan struct {
	// module also has nodes for objects that aren't configured anymore.
	*module
	changes map[string]*Planned
	// prior are the objects after the refresh.
	prior map[string]Object
}

// operation is one plan or apply.
type operation struct {
	*process
	*plan
	// values are those of nodes, once they are known or planned.
	values  map[string]cty.Value
	objects map[string]Object
}

// begin starts and configures a provider.
func (s *Session) begin(ctx context.Context, p *plan, objects map[string]Object) (*operation, Outcome) {
	started, err := s.start()
	if err != nil {
		return nil, outcome(nil, err)
	}
	o := &operation{process: started, plan: p, values: maps.Clone(p.given), objects: maps.Clone(objects)}
	out := o.configure(ctx, p.provider, o.values)
	return o, out
}

// plan refreshes, if that is wanted, and plans.
func (s *Session) plan(ctx context.Context, destroy, refresh bool) (*plan, error) {
	p := &plan{&module{s.module.given, s.module.provider, map[string]*node{}}, map[string]*Planned{}, map[string]Object{}}
	if !destroy {
		p.nodes = maps.Clone(s.module.nodes)
	}
	for at, object := range s.state.objects {
		typeName, _, mode := split(at)
		if _, configured := p.nodes[at]; !configured && mode == tfjson.ManagedResourceMode {
			p.nodes[at] = &node{typeName: typeName, removed: true}
		}
		if p.nodes[at] != nil {
			p.prior[at] = object
		}
	}
	o, out := s.begin(ctx, p, p.prior)
	if !out.Failed() {
		_, out = o.walk(func(at string, n *node) Outcome { return o.planNode(ctx, at, n, refresh) })
		p.prior = o.objects
	}
	return p, out.Err()
}

// walk visits all nodes, each after those that it needs, unless one of these has failed. It returns their order.
func (o *operation) walk(visit func(at string, n *node) Outcome) (order []string, all Outcome) {
	succeeded := map[string]bool{}
	var reach func(string) bool
	reach = func(at string) bool {
		n, exists := o.nodes[at]
		if _, reached := succeeded[at]; reached || !exists {
			return !exists || succeeded[at]
		}
		ready := true
		for _, needed := range n.needs {
			ready = reach(needed) && ready
		}
		if ready {
			out := visit(at, n)
			all.join(out)
			ready = !out.Failed()
		}
		succeeded[at], order = ready, append(order, at)
		return ready
	}
	for _, at := range slices.Sorted(maps.Keys(o.nodes)) {
		reach(at)
	}
	return order, all
}

// store puts an object into the state, or removes one that doesn't exist.
func (o *operation) store(at string, now Object) {
	if o.objects[at] = now; !now.Exists() {
		delete(o.objects, at)
	}
}

// configured is the configuration of a resource or data source, validated by the provider; null for what isn't configured anymore.
func (o *operation) configured(ctx context.Context, k kind, n *node) (cty.Value, Outcome) {
	if n.removed {
		return k.null(), Outcome{}
	}
	config, out := body(n.arguments, k.schema, o.values)
	if !out.Failed() {
		out = k.validate(ctx, config)
	}
	return config, out
}

// planNode plans one node: what isn't configured anymore is destroyed.
func (o *operation) planNode(ctx context.Context, at string, n *node, refresh bool) Outcome {
	if n.typeName == "" {
		return o.evaluate(at, n)
	}
	k, out := o.kind(n.typeName, n.isData)
	switch {
	case out.Failed():
		return out
	case n.isData:
		return o.planData(ctx, k, at, n)
	}
	prior, exists := o.objects[at]
	if !exists {
		prior.value = k.null()
	} else if refresh {
		if prior, out = k.refresh(ctx, prior); out.Failed() {
			return out
		}
		o.store(at, prior)
	}
	config, more := o.configured(ctx, k, n)
	if out.join(more); out.Failed() || n.removed && !prior.Exists() {
		return out
	}
	planned, more := k.plan(ctx, prior, config, false)
	if out.join(more); !more.Failed() {
		o.changes[at], o.values[at] = planned, planned.after.value
	}
	return out
}

// evaluate evaluates a local or an output.
func (o *operation) evaluate(at string, n *node) Outcome {
	value, diags := n.value.Value(scope(o.values))
	o.values[at] = value
	return invalid(diags)
}

// planData reads a data source, unless it depends on what is unknown, or on changes that the apply has still to make.
func (o *operation) planData(ctx context.Context, k kind, at string, n *node) Outcome {
	config, out := o.configured(ctx, k, n)
	if out.Failed() {
		return out
	}
	pending := slices.ContainsFunc(n.dependsOn, func(needed string) bool {
		planned, ok := o.changes[needed]
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
	o.changes[at] = &Planned{action: read, prior: o.objects[at], after: Object{value: o.values[at]}}
	return out
}

func (o *operation) readData(ctx context.Context, k kind, at string, config cty.Value) Outcome {
	answer, err := k.rpc.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: k.name, Config: k.encode(config), ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{},
	})
	if err != nil {
		return outcome(nil, err)
	}
	value, err := k.decode(answer.State)
	out := outcome(answer.Diagnostics, err)
	if out.Failed() {
		return out
	}
	if value.IsNull() || !value.IsWhollyKnown() {
		out.broke(invalidObject, "a data source must be wholly known and not null")
	}
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
		var more Outcome
		s.state.order, more = o.walk(func(at string, n *node) Outcome { return o.write(ctx, at, n) })
		out.join(more)
	}
	s.state.objects, s.state.outputs = o.objects, map[string]cty.Value{}
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
	planned, changes := o.changes[at]
	if !changes || planned.action != destroy && planned.action != replace {
		return Outcome{}
	}
	k, out := o.kind(o.nodes[at].typeName, false)
	if out.Failed() {
		return out
	}
	left, out := k.destroy(ctx, planned)
	o.store(at, left)
	return out
}

// write creates or changes an object, reads a data source, or evaluates a local or an output.
func (o *operation) write(ctx context.Context, at string, n *node) Outcome {
	planned, changes := o.changes[at]
	switch {
	case n.removed: // It has been destroyed.
		return Outcome{}
	case n.typeName == "":
		return o.evaluate(at, n)
	case !changes: // The plan has read it.
		o.values[at] = o.objects[at].value
		return Outcome{}
	case planned.action == noop:
		o.values[at] = planned.after.value
		return Outcome{}
	}
	k, out := o.kind(n.typeName, n.isData)
	if out.Failed() {
		return out
	}
	config, out := o.configured(ctx, k, n)
	if out.Failed() {
		return out
	}
	if n.isData {
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
