package provider_test

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// everything is what a provider's server implements.
type everything interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// empty is the configuration of a provider that its environment configures.
func empty() *tfprotov6.DynamicValue { return &tfprotov6.DynamicValue{JSON: []byte("{}")} }

// validate validates a configuration.
func (w *valueWalk) validate(ctx context.Context, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
	server := w.server
	switch w.kind {
	case "provider":
		resp, err := server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
		return resp.Diagnostics, err
	case "resource":
		resp, err := server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
			TypeName: w.name, Config: config,
			ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		})
		return resp.Diagnostics, err
	case "data":
		resp, err := server.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: w.name, Config: config})
		return resp.Diagnostics, err
	case "ephemeral":
		resp, err := server.ValidateEphemeralResourceConfig(ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: w.name, Config: config})
		return resp.Diagnostics, err
	case "list":
		resp, err := server.ValidateListResourceConfig(ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: w.name, Config: config})
		return resp.Diagnostics, err
	}
	resp, err := server.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: w.name, Config: config})
	return resp.Diagnostics, err
}

// carryOut does with a valid configuration what Terraform does after its validation, as far as values are known.
func (w *valueWalk) carryOut(ctx context.Context, v variation, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
	server := w.server
	known := isKnown(v.config)
	switch w.kind {
	case "provider":
		fresh, err := w.start()
		if err != nil {
			return nil, err
		}
		resp, err := fresh.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: config})
		return resp.Diagnostics, err
	case "resource":
		if known {
			return w.applyAndDestroy(ctx, v)
		}
		if _, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: empty()}); err != nil {
			return nil, err // Each plan has a provider of its own.
		}
		resp, err := server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
			TypeName: w.name, Config: config, ProposedNewState: config, PriorState: &tfprotov6.DynamicValue{JSON: []byte("null")},
		})
		return resp.Diagnostics, err
	case "action":
		planned, err := server.PlanAction(ctx, &tfprotov6.PlanActionRequest{ActionType: w.name, Config: config})
		if err != nil || hasError(planned.Diagnostics) || !known {
			return planned.Diagnostics, err
		}
		return w.invoke(ctx, config)
	}
	if !known {
		return nil, nil // Read when all is known.
	}
	switch w.kind {
	case "data":
		resp, err := server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: w.name, Config: config})
		return resp.Diagnostics, err
	case "ephemeral":
		resp, err := server.OpenEphemeralResource(ctx, &tfprotov6.OpenEphemeralResourceRequest{TypeName: w.name, Config: config})
		return resp.Diagnostics, err
	}
	stream, err := server.ListResource(ctx, &tfprotov6.ListResourceRequest{TypeName: w.name, Config: config, IncludeResource: true, Limit: 100})
	if err != nil {
		return nil, err
	}
	var diags []*tfprotov6.Diagnostic
	for result := range stream.Results {
		diags = append(diags, result.Diagnostics...)
	}
	return diags, nil
}

// invoke runs an action until it reports progress, from when on it may wait for a user, in real time.
func (w *valueWalk) invoke(ctx context.Context, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
	ctx, interrupt := context.WithCancel(ctx)
	defer interrupt()
	stream, err := w.server.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: w.name, Config: config})
	if err != nil {
		return nil, err
	}
	var diags []*tfprotov6.Diagnostic
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			interrupt()
		case tfprotov6.CompletedInvokeActionEventType:
			diags = append(diags, event.Diagnostics...)
		}
	}
	return diags, nil
}

// applyAndDestroy creates a resource, plans it again, which must change nothing, and destroys it.
func (w *valueWalk) applyAndDestroy(ctx context.Context, v variation) ([]*tfprotov6.Diagnostic, error) {
	arguments, _ := v.config.(map[string]any)
	diags, state, err := w.apply(ctx, v, core.Object{}, arguments)
	if err != nil || !state.Exists() {
		return diags, err
	}
	w.counts.done.Add(1)
	if !hasError(diags) {
		c, err := w.driver.Command(ctx)
		if err != nil {
			return diags, err
		}
		refreshed, out := c.Refresh(ctx, state)
		if diags = append(diags, out.Diagnostics...); out.Failed() {
			return diags, nil
		}
		planned, out := c.Plan(ctx, refreshed, arguments)
		diags = append(diags, out.Diagnostics...)
		if !out.Failed() && !planned.Empty() {
			w.problem(v, "the next plan isn't empty:\n%s", planned)
		}
	}
	_, left, err := w.apply(ctx, v, state, nil)
	if err == nil && left.Exists() { // It may be protected.
		_, left, err = w.apply(ctx, v, left, w.base)
		if err == nil {
			_, left, err = w.apply(ctx, v, left, nil)
		}
	}
	if err == nil && left.Exists() {
		w.t.Fatalf("%s %s: %s: %s: can't be destroyed", w.kind, w.name, v.at, v.title)
	}
	return diags, err
}

// apply plans and applies; without arguments it destroys.
func (w *valueWalk) apply(ctx context.Context, v variation, state core.Object, arguments map[string]any) ([]*tfprotov6.Diagnostic, core.Object, error) {
	c, err := w.driver.Command(ctx)
	if err != nil {
		return nil, state, err
	}
	planned, out := c.Plan(ctx, state, arguments)
	diags := out.Diagnostics
	if len(out.Broken) > 0 {
		w.problem(v, "the plan breaks rules: %s", strings.Join(out.Broken, "\n"))
	}
	if out.Failed() {
		return diags, state, nil
	}
	if c, err = w.driver.Command(ctx); err != nil {
		return diags, state, err
	}
	state, out = c.Apply(ctx, planned)
	if len(out.Broken) > 0 {
		w.problem(v, "the apply breaks rules: %s", strings.Join(out.Broken, "\n"))
	}
	return append(diags, out.Diagnostics...), state, nil
}

// walkFunction varies each argument of a call.
func (w *valueWalk) walkFunction(f *tfprotov6.Function, base []any) {
	w.t.Helper()
	call := func(v variation, args []any) {
		diags := w.call(f, v, args)
		w.judge(v, diags)
	}
	call(variation{title: "the example"}, base)
	for i := range base {
		p := parameter(f, i)
		cases := append([]titled{{"null", nil}, {"unknown", unknownValue{}}}, casesOfType(p.Type, base[i])...)
		for _, c := range cases {
			if c.title == "null" && !p.AllowNullValue || !isKnown(c.value) && !p.AllowUnknownValues {
				continue // Terraform doesn't call the function.
			}
			args := append([]any{}, base...)
			args[i] = c.value
			call(variation{at: p.Name, title: c.title, value: c.value}, args)
		}
	}
}

func (w *valueWalk) call(f *tfprotov6.Function, v variation, args []any) []*tfprotov6.Diagnostic {
	w.t.Helper()
	req := &tfprotov6.CallFunctionRequest{Name: w.name}
	for i, arg := range args {
		as := parameter(f, i).Type
		value, err := tfprotov6.NewDynamicValue(as, encoded(as, arg))
		if err != nil {
			w.t.Fatal(err)
		}
		req.Arguments = append(req.Arguments, &value)
	}
	resp, err := w.server.CallFunction(context.Background(), req)
	if err != nil {
		w.problem(v, "%v", err)
		return nil
	}
	if resp.Error == nil {
		return nil
	}
	if position := resp.Error.FunctionArgument; position != nil && *position > math.MaxInt16 {
		w.problem(v, "argument %d", *position)
	}
	// Terraform ends the sentence.
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Error in function call", Detail: fmt.Sprint(resp.Error.Text, ".")}}
}
