package chaos

import (
	"context"
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
}

// ApplyResourceChange implements tfprotov6.ResourceServer.
func (l liar) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
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
