package core

import (
	"bytes"
	"context"
	"slices"

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

// change is what is planned for a resource.
type change struct {
	action action
	// prior is the refreshed object; its value is null if there is none.
	prior   object
	planned *proposal
}

// Outcome is what a call reported.
type Outcome struct {
	Diagnostics []*tfprotov6.Diagnostic
	// Broken are the rules of core that the call has broken.
	Broken []string
}

// Failed reports whether core would stop after the call.
func (o Outcome) Failed() bool { return len(o.Broken) > 0 || hasErrors(o.Diagnostics) }

func (o *Outcome) add(diags []*tfprotov6.Diagnostic) { o.Diagnostics = append(o.Diagnostics, diags...) }

// join adds what another call reported.
func (o *Outcome) join(more Outcome) {
	o.Diagnostics, o.Broken = append(o.Diagnostics, more.Diagnostics...), append(o.Broken, more.Broken...)
}

// What core calls a provider's breach of its rules.
const (
	invalidPlan, inconsistentPlan     = "Provider produced invalid plan", "Provider produced inconsistent final plan"
	invalidObject, inconsistentResult = "Provider produced invalid object", "Provider produced inconsistent result after apply"
)

// broke adds rules that the call has broken, under core's summary.
func (o *Outcome) broke(summary string, rules ...string) {
	for _, rule := range rules {
		o.Broken = append(o.Broken, summary+": "+rule)
	}
}

// refresh reads a resource. The value is null if it is gone; the private data and the identity that the provider has returned
// with it are for the plan of a creation in the same walk.
func (k kind) refresh(ctx context.Context, o object) (object, Outcome, error) {
	now, diags, err := k.read(ctx, o)
	out := Outcome{Diagnostics: diags}
	if err != nil || out.Failed() {
		return o, out, err
	}
	out.broke(invalidObject, returnedWriteOnly(k.attributes, "", now.value)...)
	if !now.value.IsWhollyKnown() {
		out.broke(invalidObject, "unknown values were read")
	}
	out.broke(invalidObject, identityMismatches(o, now)...)
	return now, out, nil
}

// plan plans a resource; a null configuration destroys it. A replacement is planned twice: as a change, and as a creation with the
// private data and the identity that the first answer planned. Of a tainted object, the provider is told nothing. forced is -replace.
func (k kind) plan(ctx context.Context, prior object, config cty.Value, forced bool) (*change, Outcome, error) {
	if config.IsNull() {
		planned, diags, err := k.planned(ctx, prior, config, config)
		return &change{action: destroy, prior: prior, planned: planned}, Outcome{Diagnostics: diags}, err
	}
	told := prior
	if prior.tainted {
		told = object{value: k.null()}
	}
	planned, out, err := k.ask(ctx, told, config)
	if err != nil || out.Failed() {
		return nil, out, err
	}
	made := &change{prior: prior, planned: planned}
	if made.action = made.decide(told, forced); made.action != replace || prior.tainted {
		return made, out, nil
	}
	again, more, err := k.ask(ctx, object{value: k.null(), private: planned.private, identity: planned.identity}, config)
	if made.planned = again; more.Failed() { // Core takes the warnings of the second answer for repetitions.
		out.join(more)
	}
	return made, out, err
}

func (k kind) ask(ctx context.Context, prior object, config cty.Value) (*proposal, Outcome, error) {
	planned, diags, err := k.planned(ctx, prior, config, proposedNew(k.attributes, prior.value, config))
	out := Outcome{Diagnostics: diags}
	if err == nil && !out.Failed() {
		out.broke(invalidPlan, planMismatches(k.attributes, "", planned.value, config, prior.value)...)
		out.broke(invalidPlan, identityMismatches(prior, planned.object)...)
	}
	return planned, out, err
}

// decide returns what a plan does to an object of which the provider was told.
func (c *change) decide(told object, forced bool) action {
	c.planned.replaces = slices.DeleteFunc(c.planned.replaces, func(at cty.Path) bool { return !changedAt(at, told.value, c.planned.value) })
	switch {
	case c.prior.value.IsNull():
		return create
	case c.prior.tainted || forced || len(c.planned.replaces) > 0:
		return replace
	case !c.planned.value.RawEquals(told.value):
		return update
	}
	return noop
}

// destroy destroys an object, also before its replacement is created: then the provider gets the private data that was planned for
// the replacement, and no identity. After an error without an object, core keeps the prior one.
func (k kind) destroy(ctx context.Context, c *change) (object, Outcome, error) {
	gone := c.planned
	if c.action == replace {
		gone = &proposal{object: object{value: k.null(), private: c.planned.private}}
	}
	left, diags, err := k.applied(ctx, c.prior, gone, k.null())
	out := Outcome{Diagnostics: diags}
	if err != nil || out.Failed() && left.value.IsNull() {
		return c.prior, out, err
	}
	if !out.Failed() && !left.value.IsNull() {
		out.broke(invalidObject, "something is left of what was destroyed")
	}
	if left.identity != nil {
		if none, err := left.identity.IdentityData.IsNull(); none || err != nil {
			left.identity = nil
		}
	}
	left.tainted, left.dependsOn = c.prior.tainted, c.prior.dependsOn
	return left, out, nil
}

// write creates or changes an object, and returns what core stores. With more values known, the provider plans again and must come to
// the same result.
func (k kind) write(ctx context.Context, c *change, config cty.Value) (object, Outcome, error) {
	prior := c.prior
	if c.action != update {
		prior = object{value: k.null()}
	}
	final, out, err := k.plan(ctx, prior, config, false)
	if err != nil || out.Failed() {
		return prior, out, err
	}
	out.broke(inconsistentPlan, resultMismatches("", c.planned.value, final.planned.value)...)
	if c.action == update && final.action == replace {
		out.broke(inconsistentPlan, "the planned update has become a replacement")
	}
	if out.Failed() || final.action == noop {
		return prior, out, nil
	}
	applied, diags, err := k.applied(ctx, prior, final.planned, config)
	if err != nil {
		return applied, out, err
	}
	failed := hasErrors(diags)
	out.add(diags)
	k.checkResult(&out, prior, final.planned, applied, failed)
	if failed && applied.value.IsNull() { // Without an object, core keeps the prior one.
		return prior, out, nil
	}
	applied.value = cty.UnknownAsNull(applied.value)
	applied.tainted = failed && c.action != update
	return applied, out, nil
}

// checkResult finds out how the result of an apply is invalid or differs from the plan. After an error, it may be incomplete.
func (k kind) checkResult(out *Outcome, prior object, planned *proposal, applied object, failed bool) {
	for _, at := range unknownPaths(applied.value) {
		out.broke(invalidObject, at+": still unknown")
	}
	out.broke(invalidObject, returnedWriteOnly(k.attributes, "", applied.value)...)
	if k.identity != cty.NilType && !applied.value.IsNull() && applied.identity == nil {
		out.broke(invalidObject, "there is no identity")
	}
	out.broke(invalidObject, identityMismatches(prior, applied)...)
	switch {
	case failed:
	case applied.value.IsNull():
		out.broke(inconsistentResult, "nothing is there")
	default:
		out.broke(inconsistentResult, resultMismatches("", planned.value, applied.value)...)
	}
}

// identityMismatches describes changes of an identity that must not change.
func identityMismatches(before, after object) []string {
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

// adopted imports an object and reads it; without an error, there is one.
func (k kind) adopted(ctx context.Context, id string) (object, Outcome, error) {
	found, diags, err := k.imported(ctx, id)
	out := Outcome{Diagnostics: diags}
	if err != nil || out.Failed() {
		return object{}, out, err
	}
	if len(found) != 1 {
		out.broke(invalidObject, "the import returned another number of objects than one")
		return object{}, out, nil
	}
	out.broke(invalidObject, returnedWriteOnly(k.attributes, "", found[0].value)...)
	now, more, err := k.refresh(ctx, found[0])
	out.join(more)
	if err == nil && !out.Failed() && now.value.IsNull() {
		out.add([]*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Cannot import non-existent remote object"}})
	}
	return now, out, err
}
