package client

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

const modelPricesPath = tracingPrefix + "/model-price-map"

// ListModelPrices lists the price map: the entries of the workspace, and those that come with the service. There is no
// operation that reads a single entry.
func (c *Client) ListModelPrices(ctx context.Context) iter.Seq2[api.ModelPrice, error] {
	return c.modelPrices().all(ctx)
}

// ModelPrices returns all of ListModelPrices.
func (c *Client) ModelPrices(ctx context.Context) ([]api.ModelPrice, error) {
	return Collect(c.ListModelPrices(ctx))
}

func (c *Client) modelPrices() *Pager[api.ModelPrice] {
	return &Pager[api.ModelPrice]{client: c, path: modelPricesPath, size: pageSize, id: func(p api.ModelPrice) string { return p.ID }, tracing: true}
}

// CreateModelPrice adds an entry. If the reply is lost, it looks for the entry and returns it if it is provably the result of this call;
// otherwise the error is an *OutcomeUnknownError. It never repeats a create that may have been processed.
func (c *Client) CreateModelPrice(ctx context.Context, req api.ModelPriceRequest) (*api.ModelPrice, error) {
	return create(ctx, c, request{
		method: http.MethodPost, path: modelPricesPath, body: req, tracing: true,
	}, func(p *api.ModelPrice) error {
		return isCreated("model price", "name", req.Name, p.ID, p.Name)
	}, creating[api.ModelPrice]{
		kind: modelPriceKind, name: req.Name,
		list:    c.ListModelPrices,
		match:   func(p api.ModelPrice) bool { return SamePlace(req, p) },
		id:      func(p api.ModelPrice) string { return p.ID },
		differs: func(p api.ModelPrice) string { return costsDiffer(req, p.ModelPriceRequest) },
	})
}

// UpdateModelPrice replaces all fields of an entry. That is idempotent, so it is repeated after a lost reply; if no reply
// arrives, the error is an *OutcomeUnknownError. A response without what was sent proves nothing, and only then is the list read: it is
// long.
func (c *Client) UpdateModelPrice(ctx context.Context, id string, req api.ModelPriceRequest) (*api.ModelPrice, error) {
	updating := changing[api.ModelPrice]{
		request: request{method: http.MethodPut, path: pathTo(modelPricesPath, id), body: req, tracing: true, repeatable: true},
		kind:    modelPriceKind, id: id,
		check: func(p *api.ModelPrice) error { return isAsked("model price", id, p.ID) },
		read: func(ctx context.Context) (*api.ModelPrice, error) {
			return fromList(c.ListModelPrices(ctx), func(p api.ModelPrice) bool { return SameID(p.ID, id) }, notListed(id))
		},
		shows: func(p api.ModelPrice) bool {
			return p.Name == req.Name && p.MatchPattern == req.MatchPattern && costsDiffer(req, p.ModelPriceRequest) == ""
		},
	}
	updated, err := sendChange(ctx, c, updating.request, updating.kind, id, updating.check)
	if err != nil || updating.shows(*updated) {
		return updated, err
	}
	return updating.prove(ctx, c)
}

// DeleteModelPrice deletes an entry. If it doesn't exist, that is an error, unless an earlier attempt of this call deleted it.
func (c *Client) DeleteModelPrice(ctx context.Context, id string) error {
	deletion := request{method: http.MethodDelete, path: pathTo(modelPricesPath, id), tracing: true}
	return removeProved(ctx, c, deletion, deletion, c.ListModelPrices(ctx), func(p api.ModelPrice) bool { return SameID(p.ID, id) })
}

// SamePlace reports whether an entry of the workspace prevents the service from adding the requested one.
func SamePlace(asked api.ModelPriceRequest, found api.ModelPrice) bool {
	return found.TenantID != nil && isSamePlace(asked, found.ModelPriceRequest)
}

// isSamePlace reports whether the service would refuse the two side by side. It fills in an omitted match_path.
func isSamePlace(asked, found api.ModelPriceRequest) bool {
	return asked.Name == found.Name && asked.MatchPattern == found.MatchPattern &&
		(len(asked.MatchPath) == 0 || slices.Equal(asked.MatchPath, found.MatchPath)) &&
		isSame(asked.Provider, found.Provider, func(a, b string) bool { return a == b }) &&
		isSame(asked.StartTime, found.StartTime, timestamp.IsSame) &&
		isSame(asked.PromptTokenThreshold, found.PromptTokenThreshold, func(a, b int64) bool { return a == b })
}

// costsDiffer describes which price of an entry differs from the request; services write numbers in their own format.
func costsDiffer(asked, found api.ModelPriceRequest) string {
	switch {
	case !isSameNumber(asked.PromptCost, found.PromptCost):
		return "its prompt_cost is " + string(found.PromptCost)
	case !isSameNumber(asked.CompletionCost, found.CompletionCost):
		return "its completion_cost is " + string(found.CompletionCost)
	case !maps.EqualFunc(asked.PromptCostDetails, found.PromptCostDetails, isSameNumber):
		return "its prompt_cost_details differ"
	case !maps.EqualFunc(asked.CompletionCostDetails, found.CompletionCostDetails, isSameNumber):
		return "its completion_cost_details differ"
	}
	return ""
}

// isSame compares values that may be null.
func isSame[T any](a, b *T, equal func(T, T) bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return equal(*a, *b)
}

func isSameNumber(a, b api.DecimalNumber) bool {
	one, err := decimal.Parse(string(a))
	other, otherErr := decimal.Parse(string(b))
	return err == nil && otherErr == nil && one.Equal(other)
}
