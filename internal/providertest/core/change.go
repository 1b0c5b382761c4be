package core

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// action is what happens to a resource.
type action int

const (
	noop action = iota
	create
	read
	update
	replace
	destroy
)

// actionNames are how a plan names its actions.
var actionNames = map[action]tfjson.Actions{
	noop: {tfjson.ActionNoop}, create: {tfjson.ActionCreate}, read: {tfjson.ActionRead}, update: {tfjson.ActionUpdate},
	destroy: {tfjson.ActionDelete}, replace: {tfjson.ActionDelete, tfjson.ActionCreate},
}

// Planned is what an apply will do to a resource.
type Planned struct {
	action action
	// prior is the refreshed object; its value is null if there is none.
	prior, after Object
	config       cty.Value
}

// Empty reports whether the plan changes nothing.
func (p *Planned) Empty() bool { return p.action == noop }

func (p *Planned) String() string {
	return fmt.Sprintf("%v\nbefore: %v\nafter: %v", actionNames[p.action], plain(p.prior.value), plain(p.after.value))
}

// refresh reads a resource. The value is null if it is gone; the private data and the identity that the provider has returned
// with it are for the plan of a creation in the same walk.
func (k kind) refresh(ctx context.Context, o Object) (Object, Outcome) {
	answer, err := k.rpc.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: k.name, CurrentState: k.encode(o.value), Private: o.private, CurrentIdentity: o.identity,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{},
	})
	if err != nil {
		return o, outcome(nil, err)
	}
	now := Object{private: answer.Private, identity: answer.NewIdentity, tainted: o.tainted}
	now.value, err = k.decode(answer.NewState)
	out := outcome(answer.Diagnostics, err)
	if out.Failed() {
		return o, out
	}
	out.broke(invalidObject, objectFlaws(k.attributes, now.value)...)
	out.broke(invalidObject, identityMismatches(o, now)...)
	return now, out
}

// plan plans a resource; a null configuration destroys it. A replacement is planned twice: as a change, and as a creation with the
// private data and the identity that the first answer planned. Of a tainted object, the provider is told nothing. forced is -replace.
func (k kind) plan(ctx context.Context, prior Object, config cty.Value, forced bool) (*Planned, Outcome) {
	p := &Planned{prior: prior, config: config}
	var out Outcome
	if config.IsNull() {
		p.action = destroy
		p.after, _, out = k.ask(ctx, prior, config)
		return p, out
	}
	told := prior
	if prior.tainted {
		told = Object{value: k.null()}
	}
	after, replaces, out := k.ask(ctx, told, config)
	if out.Failed() {
		return nil, out
	}
	p.after, p.action = after, decide(prior, told, after, replaces, forced)
	if p.action != replace || prior.tainted {
		return p, out
	}
	again, _, more := k.ask(ctx, Object{value: k.null(), private: after.private, identity: after.identity}, config)
	if p.after = again; more.Failed() { // Core takes the warnings of the second answer for repetitions.
		out.join(more)
	}
	return p, out
}

// ask also returns the paths of changes that need a replacement.
func (k kind) ask(ctx context.Context, prior Object, config cty.Value) (after Object, replaces []cty.Path, out Outcome) {
	answer, err := k.rpc.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: k.name, PriorState: k.encode(prior.value), Config: k.encode(config),
		ProposedNewState: k.encode(proposedNew(k.attributes, prior.value, config)), PriorPrivate: prior.private, PriorIdentity: prior.identity,
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{},
	})
	if err == nil && answer.UnsafeToUseLegacyTypeSystem { //nolint:staticcheck // Nobody may.
		err = errors.New("the provider asks for the rules of an older SDK")
	}
	if err != nil {
		return after, nil, outcome(nil, err)
	}
	for _, at := range answer.RequiresReplace {
		replaces = append(replaces, ctyPath(at))
	}
	after = Object{private: answer.PlannedPrivate, identity: answer.PlannedIdentity}
	after.value, err = k.decode(answer.PlannedState)
	if out = outcome(answer.Diagnostics, err); !out.Failed() {
		out.broke(invalidPlan, planMismatches(k.attributes, after.value, config, prior.value)...)
		out.broke(invalidPlan, identityMismatches(prior, after)...)
		for _, at := range replaces {
			_, notBefore := at.Apply(prior.value)
			_, notAfter := at.Apply(after.value)
			if !prior.value.IsNull() && notBefore != nil && notAfter != nil {
				out.broke(invalidPlan, pathText(at)+": requires a replacement, but doesn't exist")
			}
		}
	}
	return after, replaces, out
}

// decide returns what a plan does to an object of which the provider was told.
func decide(prior, told, after Object, replaces []cty.Path, forced bool) action {
	nowhere := cty.DynamicPseudoType
	changes := func(at cty.Path) bool {
		return !valueAt(at, told.value, nowhere).RawEquals(valueAt(at, after.value, nowhere))
	}
	switch {
	case prior.value.IsNull():
		return create
	case prior.tainted || forced || slices.ContainsFunc(replaces, changes):
		return replace
	case !after.value.RawEquals(told.value):
		return update
	}
	return noop
}

// destroy destroys an object, also before its replacement is created: then the provider gets the private data that was planned for
// the replacement, and no identity. After an error without an object, core keeps the prior one.
func (k kind) destroy(ctx context.Context, p *Planned) (Object, Outcome) {
	gone := p.after
	if p.action == replace {
		gone = Object{value: k.null(), private: p.after.private}
	}
	left, out := k.applied(ctx, p.prior, gone, k.null())
	if out.Failed() && left.value.IsNull() {
		return p.prior, out
	}
	if !out.Failed() && !left.value.IsNull() {
		out.broke(invalidObject, "something is left of what was destroyed")
	}
	if left.identity != nil {
		if none, err := left.identity.IdentityData.IsNull(); none || err != nil {
			left.identity = nil
		}
	}
	left.tainted = p.prior.tainted
	return left, out
}

// write creates or changes an object, and returns what core stores. With more values known, the provider plans again and must come to
// the same result.
func (k kind) write(ctx context.Context, p *Planned, config cty.Value) (Object, Outcome) {
	prior := p.prior
	if p.action != update {
		prior = Object{value: k.null()}
	}
	final, out := k.plan(ctx, prior, config, false)
	if out.Failed() {
		return prior, out
	}
	out.broke(inconsistentPlan, resultMismatches(p.after.value, final.after.value)...)
	if p.action == update && final.action == replace {
		out.broke(inconsistentPlan, "the planned update has become a replacement")
	}
	if out.Failed() || final.action == noop {
		return prior, out
	}
	applied, made := k.applied(ctx, prior, final.after, config)
	failed := made.Failed()
	out.join(made)
	k.checkResult(&out, prior, final.after, applied, failed)
	if failed && applied.value.IsNull() { // Without an object, core keeps the prior one.
		return prior, out
	}
	applied.value = cty.UnknownAsNull(applied.value)
	applied.tainted = failed && p.action != update
	return applied, out
}

// checkResult finds out how the result of an apply is invalid or differs from the plan. After an error, it may be incomplete.
func (k kind) checkResult(out *Outcome, prior, planned, applied Object, failed bool) {
	out.broke(invalidObject, objectFlaws(k.attributes, applied.value)...)
	if k.identified && !applied.value.IsNull() && applied.identity == nil {
		out.broke(invalidObject, "there is no identity")
	}
	out.broke(invalidObject, identityMismatches(prior, applied)...)
	switch {
	case failed:
	case applied.value.IsNull():
		out.broke(inconsistentResult, "nothing is there")
	default:
		out.broke(inconsistentResult, resultMismatches(planned.value, applied.value)...)
	}
}

// identityMismatches describes changes of an identity that must not change.
func identityMismatches(before, after Object) []string {
	if before.identity == nil || before.value.IsNull() || after.value.IsNull() {
		return nil
	}
	if after.identity == nil || after.identity.IdentityData == nil {
		return []string{"the identity is gone"}
	}
	if !bytes.Equal(before.identity.IdentityData.MsgPack, after.identity.IdentityData.MsgPack) {
		return []string{"the identity has changed"}
	}
	return nil
}
