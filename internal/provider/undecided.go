package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/direct"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// undecidedServer explains a replacement that the plan being applied could not decide on: a value that can't be changed may be
// unknown until the apply. If it turns out to be another one, the resource must be replaced, but the plan updates it in place.
// Terraform itself reports that as a bug of the provider, once for each attribute. It doesn't tell a plan within an apply apart
// from any other, so what counts is what the configured provider was asked to do before. It also checks the values of configurations.
type undecidedServer struct {
	direct.FrameworkServer
	provider *agentplane
	types    *configTypes
}

// ReadResource implements tfprotov6.ResourceServer.
func (s undecidedServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	s.provider.memo.Refreshed.Store(true)
	return s.FrameworkServer.ReadResource(ctx, req)
}

// UpgradeResourceState implements tfprotov6.ResourceServer. Every walk begins with it for each object in state.
func (s undecidedServer) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	resp, err := s.FrameworkServer.UpgradeResourceState(ctx, req)
	if key, referred := lookup.Keys[req.TypeName]; referred && err == nil && resp.UpgradedState != nil {
		s.provider.memo.Going.Store(key, s.object(req.TypeName, resp.UpgradedState))
	}
	return resp, err
}

// ApplyResourceChange implements tfprotov6.ResourceServer.
func (s undecidedServer) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	s.provider.memo.Applying.Store(true)
	return s.FrameworkServer.ApplyResourceChange(ctx, req)
}

// PlanResourceChange implements tfprotov6.ResourceServer.
func (s undecidedServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if wrong, err := s.plannedValues(ctx, req); err != nil || len(wrong) > 0 {
		refused := &tfprotov6.PlanResourceChangeResponse{PlannedState: req.ProposedNewState, PlannedPrivate: req.PriorPrivate, Diagnostics: wrong}
		s.note(ctx, req, refused) // Others in the same plan refer to it all the same.
		return refused, err
	}
	resp, err := s.FrameworkServer.PlanResourceChange(framework.WithGoing(ctx, &s.provider.memo.Going), req)
	if err == nil {
		s.note(ctx, req, resp)
	}
	applying := s.provider.memo.Applying.Load()
	if err != nil || len(resp.RequiresReplace) == 0 || !applying && (s.provider.memo.Refreshed.Load() || slices.ContainsFunc(resp.Diagnostics, isError)) {
		return resp, err
	}
	because, err := s.because(ctx, req, resp)
	switch {
	case err != nil:
		return nil, err
	case applying:
		because.Severity, because.Summary = tfprotov6.DiagnosticSeverityError, "Resource must be replaced"
		because.Detail = fmt.Sprintf("Not all values were known when this plan was made. Now this %s must be replaced, because of "+
			"a change to: %s. The plan only updates it, so it was not changed. Apply again: the next plan shows the "+
			"replacement.", req.TypeName, because.Detail)
		resp.Diagnostics = nil // What else a replacement would mean, the next plan says.
	default:
		because.Severity, because.Summary = tfprotov6.DiagnosticSeverityWarning, "Replacement planned without a refresh"
		because.Detail = fmt.Sprintf("This %s must be replaced, because of a change to: %s. If that value was unknown in the "+
			"plan that is being applied, the errors that Terraform reports next are not a bug of the provider: nothing was "+
			"changed. Plan again to see the replacement.", req.TypeName, because.Detail)
	}
	resp.Diagnostics = append(resp.Diagnostics, because)
	return resp, nil
}

// note records what the plan replaces or destroys. Where it replaces, nothing is undecided.
func (s undecidedServer) note(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest, resp *tfprotov6.PlanResourceChangeResponse) {
	if len(resp.RequiresReplace) > 0 {
		resp.Diagnostics = slices.DeleteFunc(resp.Diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Summary == framework.NotDecided })
	}
	key, referred := lookup.Keys[req.TypeName]
	switch going := &s.provider.memo.Going; {
	case !referred:
	case isNull(req.PriorState):
		going.Recreate(ctx, key, s.object(req.TypeName, resp.PlannedState))
	case len(resp.RequiresReplace) > 0, isNull(resp.PlannedState):
		going.Add(req.TypeName, s.object(req.TypeName, req.PriorState)(ctx))
	}
}

// isNull reports whether an encoded value is null.
func isNull(value *tfprotov6.DynamicValue) bool {
	if value == nil {
		return false
	}
	null, err := value.IsNull()
	return null && err == nil
}

// object decodes the known texts among the attributes of an object once they are needed.
func (s undecidedServer) object(typeName string, encoded *tfprotov6.DynamicValue) framework.Object {
	return func(ctx context.Context) map[string]string {
		found, attributes := map[string]string{}, map[string]tftypes.Value{}
		value, err := encoded.Unmarshal(typeOf(ctx, s.types, s.provider.Resources, typeName).TerraformType(ctx))
		if err != nil || !value.IsKnown() || value.As(&attributes) != nil {
			return found
		}
		for name, attribute := range attributes {
			var text string
			if attribute.IsKnown() && attribute.Type().Is(tftypes.String) && attribute.As(&text) == nil { // Empty if it is null.
				found[name] = text
			}
		}
		return found
	}
}

// because is a diagnostic on the first attribute that demands the replacement. Its detail lists all of them.
func (s undecidedServer) because(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest, resp *tfprotov6.PlanResourceChangeResponse) (*tfprotov6.Diagnostic, error) {
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
	return &tfprotov6.Diagnostic{Attribute: resp.RequiresReplace[0], Detail: strings.Join(slices.Compact(changes), "; ")}, nil
}

// textAt returns the text at a path, as users write it. It reports false for anything that isn't text.
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
