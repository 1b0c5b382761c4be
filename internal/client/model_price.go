package client

import (
	"context"
	"iter"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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
// otherwise the error is an *OutcomeUnknownError.
func (c *Client) CreateModelPrice(ctx context.Context, req api.ModelPriceRequest) (*api.ModelPrice, error) {
	return create(ctx, c, request{
		method: http.MethodPost, path: modelPricesPath, body: req, tracing: true,
	}, func(p *api.ModelPrice) error {
		return isCreated("model price", "name", req.Name, p.ID, p.Name)
	}, creating[api.ModelPrice]{
		kind: modelPriceKind, name: req.Name, unique: true,
		list:  c.ListModelPrices,
		match: func(p api.ModelPrice) bool { return SamePlace(req, p) },
		id:    func(p api.ModelPrice) string { return p.ID },
		shown: func(p api.ModelPrice) any { return filled(req, p.ModelPriceRequest) },
	})
}

// FindModelPrice returns an entry in the list of all entries.
func (c *Client) FindModelPrice(ctx context.Context, id string) (*api.ModelPrice, error) {
	return fromList(c.ListModelPrices(ctx), func(p api.ModelPrice) bool { return SameID(p.ID, id) }, notListed(id))
}

// UpdateModelPrice replaces all fields of an entry, and returns it as the service then shows it. If it doesn't show them, the error is an
// *OutcomeUnknownError.
func (c *Client) UpdateModelPrice(ctx context.Context, id string, req api.ModelPriceRequest) (*api.ModelPrice, error) {
	return changing[api.ModelPrice]{
		request: request{method: http.MethodPut, path: pathTo(modelPricesPath, id), body: req, tracing: true, repeatable: true},
		kind:    modelPriceKind, id: id,
		check: func(p *api.ModelPrice) error { return isAsked("model price", id, p.ID) },
		read:  func(ctx context.Context) (*api.ModelPrice, error) { return c.FindModelPrice(ctx, id) },
		shown: func(p api.ModelPrice) any { return filled(req, p.ModelPriceRequest) },
	}.prove(ctx, c)
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

// isSamePlace reports whether the service would refuse the two side by side.
func isSamePlace(asked, found api.ModelPriceRequest) bool {
	return request{body: unpriced(asked)}.differs(unpriced(filled(asked, found))) == ""
}

// unpriced is an entry without its prices, which may differ between entries for the same models.
func unpriced(p api.ModelPriceRequest) api.ModelPriceRequest {
	p.PromptCost, p.CompletionCost, p.PromptCostDetails, p.CompletionCostDetails = "", "", nil, nil
	return p
}

// filled is what an entry has of a request. The service fills in an omitted match_path.
func filled(asked, found api.ModelPriceRequest) api.ModelPriceRequest {
	if len(asked.MatchPath) == 0 {
		found.MatchPath = nil
	}
	return found
}
