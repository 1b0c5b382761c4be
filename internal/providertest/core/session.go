package core

import (
	"context"
	"encoding/json"
	"errors"
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
	prior    map[string]Object
	warnings []string
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
func (s *Session) begin(ctx context.Context, m *module, objects map[string]Object) (*operation, error) {
	p, err := s.provider.process()
	if err != nil {
		return nil, err
	}
	o := &operation{process: p, module: m, values: maps.Clone(m.given), objects: maps.Clone(objects)}
	if o.objects == nil {
		o.objects = map[string]Object{}
	}
	config, wrong := body(m.provider, p.config, o.values)
	if len(wrong) == 0 {
		wrong = p.configure(ctx, config).problems("")
	}
	return o, wrong.err()
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
	planned := func(backwards bool) (*plan, error) {
		o, err := s.begin(ctx, m, s.state.objects)
		if err != nil {
			return nil, err
		}
		o.plan = &plan{module: m, changes: map[string]*Planned{}}
		wrong := walk(needs, backwards, func(at string) problems { return o.planNode(ctx, at, refresh) })
		o.plan.prior = o.objects
		return o.plan, wrong.err()
	}
	order := func(backwards bool) (resources []string) {
		_ = walk(needs, backwards, func(at string) problems { // Nothing goes wrong.
			if n, ok := m.nodes[at]; ok && n.typeName != "" && n.typeName != terraformData && !n.isData {
				resources = append(resources, at)
			}
			return nil
		})
		return resources
	}
	p, err := planned(false)
	if p == nil || slices.Equal(order(false), order(true)) {
		return p, err
	}
	again, errAgain := planned(true)
	if again == nil {
		return nil, errAgain
	}
	if diff := cmp.Diff(p.lines(err), again.lines(errAgain)); diff != "" {
		return nil, fmt.Errorf("the outcome of the plan depends on the order:\n%s", diff)
	}
	return p, err
}

// lines are everything that users see of a plan. The address of a problem doesn't count: which of two resources is told that they
// are in each other's way depends on the order.
func (p *plan) lines(err error) []string {
	lines := slices.Clone(p.warnings)
	wrong, _ := errors.AsType[problems](err)
	for _, each := range wrong {
		lines = append(lines, "error: "+each.summary+": "+each.detail)
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
func (o *operation) configured(ctx context.Context, at string) (k kind, config cty.Value, wrong problems) {
	n := o.module.nodes[at]
	if k, wrong = o.kind(n.typeName, n.isData); len(wrong) > 0 {
		return k, config, wrong
	}
	if config, wrong = body(n.arguments, k.schema, o.values); len(wrong) == 0 {
		wrong = k.validate(ctx, config).problems(at)
	}
	return k, config, wrong
}

// planNode plans one node: what isn't configured anymore is destroyed.
func (o *operation) planNode(ctx context.Context, at string, refresh bool) problems {
	n, ok := o.module.nodes[at]
	prior, exists := o.objects[at]
	switch {
	case ok && n.typeName == "":
		return o.evaluate(at)
	case ok && n.isData:
		return o.planData(ctx, at)
	case strings.HasPrefix(at, "data."):
		delete(o.objects, at)
		return nil
	case !ok:
		typeName, _, _ := strings.Cut(at, ".")
		n = &node{typeName: typeName}
	}
	k, wrong := o.kind(n.typeName, false)
	if len(wrong) > 0 {
		return wrong
	}
	if !exists {
		prior.value = k.null()
	} else if refresh {
		now, out := k.refresh(ctx, prior)
		if out.Failed() {
			return out.problems(at)
		}
		prior = now
		o.store(at, prior)
	}
	config := k.null()
	if ok {
		if _, config, wrong = o.configured(ctx, at); len(wrong) > 0 {
			return wrong
		}
	} else if !prior.Exists() {
		return nil
	}
	planned, out := k.plan(ctx, prior, config, false)
	for _, d := range out.Diagnostics {
		if !isError(d) {
			o.plan.warnings = append(o.plan.warnings, "warning: "+d.Summary+": "+d.Detail)
		}
	}
	if out.Failed() {
		return out.problems(at)
	}
	o.plan.changes[at], o.values[at] = planned, planned.after.value
	return nil
}

// evaluate evaluates a local or an output.
func (o *operation) evaluate(at string) problems {
	value, diags := evaluate(o.module.nodes[at].arguments["value"].Expr, o.values)
	o.values[at] = value
	return syntaxProblems(diags)
}

// planData reads a data source, unless it depends on what is unknown, or on changes that the apply has still to make.
func (o *operation) planData(ctx context.Context, at string) problems {
	k, config, wrong := o.configured(ctx, at)
	if len(wrong) > 0 {
		return wrong
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
	return nil
}

func (o *operation) readData(ctx context.Context, k kind, at string, config cty.Value) problems {
	value, out := k.data(ctx, config)
	o.store(at, Object{value: value})
	o.values[at] = value
	return out.problems(at)
}

// destroying ends the name of the step that destroys a resource; the step that writes it has the address as its name.
const destroying = " (destroy)"

// apply carries out a plan, in core's order: dependencies are created first and destroyed last, and what is replaced is destroyed
// first. The state is what core would store, even after a failure.
func (s *Session) apply(ctx context.Context, p *plan) error {
	s.state.objects = p.prior
	o, err := s.begin(ctx, p.module, p.prior)
	if err != nil {
		return err
	}
	o.plan = p
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
	wrong := walk(needs, false, func(name string) problems {
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
	if len(wrong) > 0 {
		return fmt.Errorf("error running apply: %w", wrong)
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

func (o *operation) destroy(ctx context.Context, at string) problems {
	typeName, _, _ := strings.Cut(at, ".")
	k, wrong := o.kind(typeName, false)
	if len(wrong) > 0 {
		return wrong
	}
	left, out := k.destroy(ctx, o.plan.changes[at])
	o.store(at, left)
	return out.problems("") // Core destroys without a configuration in which an error could have its place.
}

// write creates or changes an object, reads a data source, or evaluates a local or an output.
func (o *operation) write(ctx context.Context, at string) problems {
	planned, changes := o.plan.changes[at]
	switch {
	case o.module.nodes[at].typeName == "":
		return o.evaluate(at)
	case !changes: // The plan has read it.
		o.values[at] = o.objects[at].value
		return nil
	case planned.action == noop:
		o.values[at] = planned.after.value
		return nil
	}
	k, config, wrong := o.configured(ctx, at)
	if len(wrong) > 0 {
		return wrong
	}
	if planned.action == read {
		return o.readData(ctx, k, at, config)
	}
	written, out := k.write(ctx, planned, config)
	written.dependsOn = o.module.ancestors(at)
	o.store(at, written)
	o.values[at] = written.value
	return out.problems(at)
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
