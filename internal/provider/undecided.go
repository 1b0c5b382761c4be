package provider

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/direct"
)

// undecidedServer tells users of what a plan had to leave open. A value that can't be changed may be unknown until the apply.
// If it turns out to be another one, the resource must be replaced, but the plan that is being applied updates it in place.
// Terraform itself reports that as a bug of the provider, once for each attribute. A plan that leaves it open notes so, for
// the plan within its apply, which Terraform makes in another process and doesn't tell apart from any other.
type undecidedServer struct {
	direct.FrameworkServer
	notes framework.Notes
	// refreshed says that something was read since the provider was configured, so that no apply is under way.
	refreshed *atomic.Bool
}

// ConfigureProvider implements tfprotov6.ProviderServer.
func (s undecidedServer) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	s.refreshed.Store(false)
	return s.FrameworkServer.ConfigureProvider(ctx, req)
}

// ReadResource implements tfprotov6.ResourceServer.
func (s undecidedServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	s.refreshed.Store(true)
	return s.FrameworkServer.ReadResource(ctx, req)
}

// PlanResourceChange implements tfprotov6.ResourceServer.
func (s undecidedServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := s.FrameworkServer.PlanResourceChange(ctx, req)
	if err != nil || req.PriorState == nil || len(req.PriorState.MsgPack) <= 1 {
		return resp, err // Nothing is replaced where there is nothing.
	}
	// A plan and its apply start from the same state.
	key := fmt.Sprintf("undecided/%s/%x", req.TypeName, sha256.Sum256(req.PriorState.MsgPack))
	if slices.ContainsFunc(resp.Diagnostics, isUndecided) {
		s.notes.Leave(key, "undecided")
		return resp, nil
	}
	if noted := s.notes.Take(key); noted == "" || len(resp.RequiresReplace) == 0 || s.refreshed.Load() {
		return resp, nil
	}
	decided, err := s.decided(ctx, req, resp)
	if err != nil {
		return nil, err
	}
	resp.Diagnostics = []*tfprotov6.Diagnostic{decided} // What else a replacement would mean, the next plan says.
	return resp, nil
}

func isUndecided(d *tfprotov6.Diagnostic) bool { return d.Summary == framework.UndecidedSummary }

// decided is the error for a plan within an apply that would have to replace. It names the attributes that demand it.
func (s undecidedServer) decided(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest, resp *tfprotov6.PlanResourceChangeResponse) (*tfprotov6.Diagnostic, error) {
	all, err := s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	schema := all.ResourceSchemas[req.TypeName]
	kind := schema.ValueType()
	was, err := req.PriorState.Unmarshal(kind)
	if err != nil {
		return nil, err
	}
	proposed, err := req.ProposedNewState.Unmarshal(kind)
	if err != nil {
		return nil, err
	}
	changes := make([]string, len(resp.RequiresReplace))
	for i, at := range resp.RequiresReplace {
		changes[i] = dotted(at)
		before, wasText := textAt(was, at)
		after, isText := textAt(proposed, at)
		if wasText && isText && !isSensitive(schema, at) {
			changes[i] += " from " + before + " to " + after
		}
	}
	slices.Sort(changes)
	return &tfprotov6.Diagnostic{
		Severity: tfprotov6.DiagnosticSeverityError, Attribute: resp.RequiresReplace[0], Summary: "Resource must be replaced",
		Detail: fmt.Sprintf("Not all values were known when this plan was made. Now this %s must be replaced, because of "+
			"a change to: %s. The plan only updates it, so it was not changed. Apply again: the next plan shows the "+
			"replacement.", req.TypeName, strings.Join(slices.Compact(changes), "; ")),
	}, nil
}

// dotted is the path of an attribute of objects, as users write it.
func dotted(at *tftypes.AttributePath) string {
	var names []string
	for _, step := range at.Steps() {
		names = append(names, fmt.Sprint(step))
	}
	return strings.Join(names, ".")
}

// textAt returns the text at a path, as users write it. It reports false for what is no text.
func textAt(value tftypes.Value, at *tftypes.AttributePath) (string, bool) {
	found, _, err := tftypes.WalkAttributePath(value, at)
	if err != nil {
		return "null", true // An object on the way is null.
	}
	v, ok := found.(tftypes.Value)
	var text *string
	if !ok || !v.IsKnown() || !v.Type().Is(tftypes.String) || v.As(&text) != nil {
		return "", false
	}
	if text == nil {
		return "null", true
	}
	return fmt.Sprintf("%q", *text), true
}

// isSensitive reports whether the root attribute of a path is sensitive.
func isSensitive(schema *tfprotov6.Schema, at *tftypes.AttributePath) bool {
	return slices.ContainsFunc(schema.Block.Attributes, func(a *tfprotov6.SchemaAttribute) bool {
		return a.Sensitive && tftypes.AttributeName(a.Name) == at.Steps()[0]
	})
}
