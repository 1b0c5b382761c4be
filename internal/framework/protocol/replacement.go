package protocol

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// explainReplacement explains a replacement that the plan being applied could not decide on: a value that can't be changed may be
// unknown until the apply. If it turns out to be another one, the resource must be replaced, but the plan updates it in place.
// Terraform itself reports that as a bug of the provider, once for each attribute. It doesn't tell a plan within an apply apart
// from any other, so what counts is what the configured provider was asked to do before.
func (s *Server) explainReplacement(ctx context.Context, c *call, next answerer) (any, error) {
	switch req := c.request.(type) {
	case *tfprotov6.ReadResourceRequest:
		s.Memo().Refreshed.Store(true)
	case *tfprotov6.ApplyResourceChangeRequest:
		s.Memo().Applying.Store(true)
	case *tfprotov6.PlanResourceChangeRequest:
		memo := s.Memo()
		answer, err := next(framework.WithGoing(ctx, &memo.Going))
		if resp, ok := answer.(*tfprotov6.PlanResourceChangeResponse); ok && err == nil {
			s.note(ctx, memo, req, resp)
			err = s.explainPlan(ctx, memo, req, resp)
		}
		return answer, err
	}
	answer, err := next(ctx)
	// Every walk begins with an upgrade of each object in state.
	upgraded, ok := answer.(*tfprotov6.UpgradeResourceStateResponse)
	if key, referred := s.Keys[c.name]; ok && referred && err == nil && upgraded.UpgradedState != nil {
		s.Memo().Going.Store(key, s.object(c.name, upgraded.UpgradedState))
	}
	return answer, err
}

// explainPlan adds an error to a replacement within an apply, and a warning to one that may be.
func (s *Server) explainPlan(ctx context.Context, memo *framework.Memo, req *tfprotov6.PlanResourceChangeRequest, resp *tfprotov6.PlanResourceChangeResponse) error {
	applying := memo.Applying.Load()
	if len(resp.RequiresReplace) == 0 || !applying && (memo.Refreshed.Load() || slices.ContainsFunc(resp.Diagnostics, isError)) {
		return nil
	}
	because, err := s.because(ctx, req, resp)
	if err != nil {
		return err
	}
	if applying {
		because.Severity, because.Summary = tfprotov6.DiagnosticSeverityError, "Resource must be replaced"
		because.Detail = fmt.Sprintf("Not all values were known when this plan was made. Now this %s must be replaced, because of "+
			"a change to: %s. The plan only updates it, so it was not changed. Apply again: the next plan shows the "+
			"replacement.", req.TypeName, because.Detail)
		resp.Diagnostics = nil // What else a replacement would mean, the next plan says.
	} else {
		because.Severity, because.Summary = tfprotov6.DiagnosticSeverityWarning, "Replacement planned without a refresh"
		because.Detail = fmt.Sprintf("This %s must be replaced, because of a change to: %s. If that value was unknown in the "+
			"plan that is being applied, the errors that Terraform reports next are not a bug of the provider: nothing was "+
			"changed. Plan again to see the replacement.", req.TypeName, because.Detail)
	}
	resp.Diagnostics = append(resp.Diagnostics, because)
	return nil
}

// note records what the plan replaces or destroys. Where it replaces, nothing is undecided.
func (s *Server) note(ctx context.Context, memo *framework.Memo, req *tfprotov6.PlanResourceChangeRequest, resp *tfprotov6.PlanResourceChangeResponse) {
	if len(resp.RequiresReplace) > 0 {
		resp.Diagnostics = slices.DeleteFunc(resp.Diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Summary == framework.NotDecided })
	}
	key, referred := s.Keys[req.TypeName]
	switch going := &memo.Going; {
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
func (s *Server) object(typeName string, encoded *tfprotov6.DynamicValue) framework.Object {
	return func(ctx context.Context) map[string]string {
		found, attributes := map[string]string{}, map[string]tftypes.Value{}
		value, err := encoded.Unmarshal(s.provider.find(ctx, subject{aResource, typeName}).config.TerraformType(ctx))
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
func (s *Server) because(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest, resp *tfprotov6.PlanResourceChangeResponse) (*tfprotov6.Diagnostic, error) {
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
