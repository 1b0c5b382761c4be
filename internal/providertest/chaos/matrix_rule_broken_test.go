package chaos

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// liar is a provider that changes what the real one answers.
type liar struct {
	tfprotov6.ProviderServer
	applied func(req *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse)
	read    func(resp *tfprotov6.ReadResourceResponse)
	// idle doesn't apply updates at all.
	idle bool
	// accepted: then it claims that the service has accepted one.
	accepted bool
	// thorough deletes every object of the name.
	thorough bool
}

// ApplyResourceChange implements tfprotov6.ResourceServer.
func (l liar) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if l.accepted {
		return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PriorState, Private: req.PlannedPrivate, NewIdentity: req.PlannedIdentity, Diagnostics: []*tfprotov6.Diagnostic{
			{Severity: tfprotov6.DiagnosticSeverityError, Summary: "The change was accepted, but it can't be seen."},
		}}, nil
	}
	if l.idle {
		return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState, Private: req.PlannedPrivate, NewIdentity: req.PlannedIdentity}, nil
	}
	resp, err := l.ProviderServer.ApplyResourceChange(ctx, req)
	if err == nil && l.applied != nil {
		l.applied(req, resp)
	}
	return resp, err
}

// ReadResource implements tfprotov6.ResourceServer.
func (l liar) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	resp, err := l.ProviderServer.ReadResource(ctx, req)
	if err == nil && l.read != nil {
		l.read(resp)
	}
	return resp, err
}

// TestMatrixRules shows that providers that break a rule are found, also where something else happens besides the operation.
func TestMatrixRules(t *testing.T) {
	t.Parallel()
	find := func(name string) subject {
		return subjects[slices.IndexFunc(subjects, func(s subject) bool { return s.name == name })]
	}
	says := func(severity tfprotov6.DiagnosticSeverity, text string) []*tfprotov6.Diagnostic {
		return []*tfprotov6.Diagnostic{{Severity: severity, Summary: text}}
	}
	silent := func(_ *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) {
		resp.Diagnostics = nil
	}
	fails := func(_ *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) {
		resp.Diagnostics = says(tfprotov6.DiagnosticSeverityError, "Too bad")
	}
	vague := func(req *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) {
		resp.NewState, resp.Diagnostics = req.PriorState, says(tfprotov6.DiagnosticSeverityError, "Too bad")
	}
	keeps := func(req *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) {
		resp.Diagnostics = says(tfprotov6.DiagnosticSeverityError, "Too bad")
		if req.PlannedState != nil && resp.NewState == nil {
			resp.NewState = req.PlannedState
		}
	}
	ongoing := func(_ *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) {
		resp.Diagnostics = says(tfprotov6.DiagnosticSeverityWarning, "It is still in progress.")
	}
	madeUp := func(resp *tfprotov6.ReadResourceResponse) {
		resp.Diagnostics = says(tfprotov6.DiagnosticSeverityError, "It was deleted by another user.")
	}
	drops := func(resp *tfprotov6.ReadResourceResponse) { resp.NewState = nil }
	deployment, listener := find("deployment"), find("listener")
	create, destroy := operation{verb: verbCreate}, operation{verb: verbDelete}
	image, namespaces := operation{verb: verbUpdate, edit: deployment.changes[0]}, operation{verb: verbUpdate, edit: listener.changes[0]}
	writer := func(moment string, a act) *happening {
		return &happening{event: event{moment: moment, written: moment == beforeProof}, dimension: dimensionWriter, label: moment + "/" + a.name, act: a}
	}
	late := &happening{dimension: dimensionClock, label: "Date +1h", skew: skews["Date +1h"]}
	changes := func(f *foreign) act { return act{"changes " + f.argument, f} }
	deletes, again := act{name: actDelete}, act{name: actAgain}
	tests := map[string]struct {
		subject   subject
		operation operation
		happening *happening // Nil if nothing happens besides the operation.
		liar      liar
		want      string
	}{
		"an error after a creation":         {listener, create, nil, liar{applied: fails}, ruleTaint},
		"a creation that isn't stored":      {listener, create, nil, liar{applied: vague}, ruleOrphan},
		"an update that isn't sent":         {listener, namespaces, nil, liar{idle: true}, ruleClaim},
		"a deletion that is made up":        {listener, namespaces, nil, liar{idle: true, read: madeUp}, ruleText},
		"a deletion that isn't sent":        {listener, destroy, nil, liar{idle: true}, ruleClaim},
		"an object that is dropped":         {listener, operation{verb: verbRefresh}, nil, liar{read: drops}, ruleLoss},
		"a change undone without a word":    {deployment, image, writer(beforeApply, changes(&theirImage)), liar{applied: silent}, ruleSilent},
		"a revision that isn't named":       {deployment, image, writer(beforeProof, changes(&theirImage)), liar{applied: vague}, ruleNamed},
		"a change of another user not said": {listener, namespaces, writer(beforeProof, changes(&listener.theirs[1])), liar{applied: silent}, ruleClaim},
		"gone, and stored":                  {listener, create, writer(beforeProof, deletes), liar{applied: keeps}, ruleGone},
		"gone, and not said":                {listener, namespaces, writer(beforeApply, deletes), liar{idle: true}, ruleClaim},
		"another user's object deleted":     {listener, destroy, writer(beforeApply, again), liar{thorough: true}, ruleForeign},
		"a clock that makes it fail":        {listener, namespaces, late, liar{applied: vague}, ruleClock},
		"an acceptance that is made up":     {listener, namespaces, writer(beforeApply, changes(&listener.theirs[1])), liar{idle: true, accepted: true}, ruleText},
		"a deployment still in progress":    {deployment, image, writer(beforeRefresh, changes(&theirURL)), liar{applied: ongoing}, ruleText},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, test.subject, api.Neutral, false)
			t.Cleanup(l.close)
			c := l.newCell()
			if test.operation.verb != verbCreate {
				c.prepare()
			}
			honest := l.provide
			l.driver = core.NewDriver(test.subject.typeName, func() (tfprotov6.ProviderServer, error) {
				lies := test.liar
				lies.ProviderServer = honest()
				if lies.thorough {
					lies.applied = func(*tfprotov6.ApplyResourceChangeRequest, *tfprotov6.ApplyResourceChangeResponse) {
						for _, found := range c.look(c.name) {
							c.theirs(http.MethodDelete, c.deletion(found), nil)
						}
					}
				}
				return lies, nil
			})
			c.proxy.reset()
			c.proxy.makes, c.operation, c.diags = test.operation.makes, test.operation, nil
			if test.happening != nil {
				c.expect(*test.happening)
			}
			c.perform(test.operation)
			c.check(nil)
			if test.happening != nil {
				if !c.happened(*test.happening) {
					t.Fatal("nothing happened")
				}
				c.checkTime(nil, *test.happening)
			}
			if !slices.ContainsFunc(c.found, func(f finding) bool { return f.rule == test.want }) {
				t.Errorf("found %v, want %q", c.found, test.want)
			}
		})
	}
}
