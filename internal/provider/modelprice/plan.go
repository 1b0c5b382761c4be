package modelprice

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// plan plans no change if only the spelling of a value differs.
func plan(_ context.Context, planning *framework.Planning[model]) (model, diag.Diagnostics) {
	if planning.State == nil {
		return planning.Plan, nil
	}
	return planning.Plan.updated(*planning.State), nil
}

// updated returns m as the plan of an in-place change of state.
func (m model) updated(state model) model {
	updated := m.spelledAs(state)
	// Terraform lets a plan keep the spelling of the state, but null is null and an empty map is one.
	updated.PromptCostDetails = asConfigured(m.PromptCostDetails, updated.PromptCostDetails)
	updated.CompletionCostDetails = asConfigured(m.CompletionCostDetails, updated.CompletionCostDetails)
	// The framework has treated the other spelling as a change, and made null computed values unknown.
	updated.ID, updated.CreatedAt = state.ID, state.CreatedAt
	return updated
}

func asConfigured(configured, updated types.Map) types.Map {
	if configured.IsNull() != updated.IsNull() {
		return configured
	}
	return updated
}

// priceValidator accepts prices of a token.
func priceValidator() validator.String {
	return framework.Check{Wanted: "a price in US dollars", Problem: func(value string) error {
		price, err := decimal.Parse(value)
		if err == nil && price.Sign() < 0 {
			err = errors.New("a price can't be negative")
		}
		return err
	}}
}

// patternValidator accepts regular expressions that every installation supports.
func patternValidator() validator.String {
	return framework.Check{Wanted: "a regular expression (RE2)", Problem: func(value string) error {
		if value == "" {
			return errors.New(`an empty pattern would match every model; use ".*" for that`)
		}
		if _, err := regexp.Compile(value); err != nil {
			return fmt.Errorf("%w; RE2 supports neither lookaround nor backreferences", err)
		}
		return nil
	}}
}

// prices is the price map of a workspace. The API can't read a single entry, so a plan reads all entries from one list.
func listPrices(ctx context.Context, p *framework.ProviderData, workspaceID types.String) ([]api.ModelPrice, error) {
	c := p.In(workspaceID)
	return framework.RememberList(p, memoName, c, func() ([]api.ModelPrice, error) { return client.Collect(c.ModelPrices().List(ctx)) })
}

// find returns nil without an error if there is no such entry.
func find(ctx context.Context, p *framework.ProviderData, workspaceID types.String, id string) (*api.ModelPrice, error) {
	return client.Find(client.Items(listPrices(ctx, p, workspaceID)), func(price api.ModelPrice) bool { return price.ID == id })
}

// forget drops the cached list after a write, whether it succeeded or not.
func forget(p *framework.ProviderData, workspaceID types.String) {
	p.Memo.Forget(p.AnswersKey(memoName, p.In(workspaceID)))
}

const memoName = "model-prices"

// spelledAs is m with current's spelling of every equivalent value: the service normalizes prices and times, and users
// rewrite 1e-6 as 0.000001.
func (m model) spelledAs(current model) model {
	m.StartTime = spelled(current.StartTime, m.StartTime, timestamp.IsSame)
	m.PromptCost = spelled(current.PromptCost, m.PromptCost, decimal.IsSame)
	m.CompletionCost = spelled(current.CompletionCost, m.CompletionCost, decimal.IsSame)
	m.PromptCostDetails = spelledDetails(current.PromptCostDetails, m.PromptCostDetails)
	m.CompletionCostDetails = spelledDetails(current.CompletionCostDetails, m.CompletionCostDetails)
	return m
}

// spelled returns current if both are known and equivalent.
func spelled(current, m types.String, same func(string, string) bool) types.String {
	unwritten := func(s types.String) bool { return s.IsNull() || s.IsUnknown() }
	if unwritten(current) || unwritten(m) || !same(current.ValueString(), m.ValueString()) {
		return m
	}
	return current
}

// spelledDetails returns current if both are known and have the same prices; an empty map equals null.
func spelledDetails(current, m types.Map) types.Map {
	same := func(a, b attr.Value) bool {
		one, isText := a.(types.String)
		other, isTextToo := b.(types.String)
		return isText && isTextToo && spelled(one, other, decimal.IsSame).Equal(one)
	}
	if current.IsUnknown() || m.IsUnknown() || current.IsNull() && m.IsNull() || !maps.EqualFunc(current.Elements(), m.Elements(), same) {
		return m
	}
	return current
}
