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

// TestMatrixRules shows that providers that break a rule are found.
func TestMatrixRules(t *testing.T) {
	t.Parallel()
	subject := subjects[slices.IndexFunc(subjects, func(s subject) bool { return s.typeName == "agentplane_listener" })]
	update := operation{verb: verbUpdate, edit: subject.changes[0]}
	fails := func(text string) []*tfprotov6.Diagnostic {
		return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: text}}
	}
	tests := map[string]struct {
		operation operation
		liar      liar
		want      string
	}{
		"an error after a creation": {operation{verb: verbCreate}, liar{applied: func(_ *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) {
			resp.Diagnostics = fails("Too bad")
		}}, ruleTaint},
		"a creation that isn't stored": {operation{verb: verbCreate}, liar{applied: func(req *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) {
			resp.NewState, resp.Diagnostics = req.PriorState, fails("Too bad")
		}}, ruleOrphan},
		"an update that isn't sent": {update, liar{idle: true}, ruleClaim},
		"a deletion that is made up": {update, liar{idle: true, read: func(resp *tfprotov6.ReadResourceResponse) {
			resp.Diagnostics = fails("It was deleted by another user.")
		}}, ruleText},
		"a deletion that isn't sent": {operation{verb: verbDelete}, liar{idle: true}, ruleClaim},
		"an object that is dropped": {operation{verb: verbRefresh}, liar{read: func(resp *tfprotov6.ReadResourceResponse) {
			resp.NewState = nil
		}}, ruleLoss},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, subject, api.Neutral, false)
			t.Cleanup(l.close)
			c := l.newCell()
			if test.operation.verb != verbCreate {
				c.prepare()
			}
			honest := l.provide
			l.driver = core.NewDriver(subject.typeName, func() (tfprotov6.ProviderServer, error) {
				lies := test.liar
				lies.ProviderServer = honest()
				return lies, nil
			})
			c.proxy.reset()
			c.diags = nil
			c.perform(test.operation)
			c.check(nil)
			if !slices.ContainsFunc(c.found, func(f finding) bool { return f.rule == test.want }) {
				t.Errorf("found %v, want %q", c.found, test.want)
			}
		})
	}
}

// TestMatrixRules_writers shows that providers that break a rule about second writers and clocks are found.
func TestMatrixRules_writers(t *testing.T) {
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
	vague := func(req *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) {
		resp.NewState, resp.Diagnostics = req.PriorState, says(tfprotov6.DiagnosticSeverityError, "Too bad")
	}
	keeps := func(req *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) {
		resp.Diagnostics = says(tfprotov6.DiagnosticSeverityError, "Too bad")
		if req.PlannedState != nil && resp.NewState == nil {
			resp.NewState = req.PlannedState
		}
	}
	deployment, listener := find("deployment"), find("listener")
	image := operation{verb: verbUpdate, edit: deployment.changes[0]}
	namespaces := operation{verb: verbUpdate, edit: listener.changes[0]}
	writer := func(moment string, a act) happening {
		return happening{event: event{moment: moment, written: moment == beforeProof}, dimension: dimensionWriter, label: moment + "/" + a.name, act: a}
	}
	changes := func(f *foreign) act { return act{"changes " + f.argument, f} }
	tests := map[string]struct {
		subject   subject
		operation operation
		happening happening
		liar      liar
		want      string
	}{
		"a change undone without a word":    {deployment, image, writer(beforeApply, changes(&theirImage)), liar{applied: silent}, ruleSilent},
		"a revision that isn't named":       {deployment, image, writer(beforeProof, changes(&theirImage)), liar{applied: vague}, ruleNamed},
		"a change of another user not said": {listener, namespaces, writer(beforeProof, changes(&listener.theirs[1])), liar{applied: silent}, ruleClaim},
		"gone, and stored":                  {listener, operation{verb: verbCreate}, writer(beforeProof, act{name: actDelete}), liar{applied: keeps}, ruleGone},
		"gone, and not said":                {listener, namespaces, writer(beforeApply, act{name: actDelete}), liar{idle: true}, ruleClaim},
		"another user's object deleted":     {listener, operation{verb: verbDelete}, writer(beforeApply, act{name: actAgain}), liar{thorough: true}, ruleForeign},
		"a clock that makes it fail":        {listener, namespaces, happening{dimension: dimensionClock, label: "Date +1h", skew: skews["Date +1h"]}, liar{applied: vague}, ruleClock},
		"an acceptance that is made up":     {listener, namespaces, writer(beforeApply, changes(&listener.theirs[1])), liar{idle: true, accepted: true}, ruleText},
		"a deployment still in progress": {deployment, image, writer(beforeRefresh, changes(&theirURL)), liar{applied: func(_ *tfprotov6.ApplyResourceChangeRequest, resp *tfprotov6.ApplyResourceChangeResponse) {
			resp.Diagnostics = says(tfprotov6.DiagnosticSeverityWarning, "It is still in progress.")
		}}, ruleText},
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
			c.expect(test.happening)
			c.perform(test.operation)
			if !c.happened(test.happening) {
				t.Fatal("nothing happened")
			}
			c.check(nil)
			c.checkTime(nil, test.happening)
			if !slices.ContainsFunc(c.found, func(f finding) bool { return f.rule == test.want }) {
				t.Errorf("found %v, want %q", c.found, test.want)
			}
		})
	}
}
