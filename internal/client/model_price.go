package client

import (
	"context"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const modelPricesPath = tracingPrefix + "/model-price-map"

var modelPriceKind = kind{"a model price", "name"}

// ModelPrices are the price map: the entries of the workspace, and those that come with the service.
func (c *Client) ModelPrices() Deletable[api.ModelPrice] {
	return Deletable[api.ModelPrice]{Collection: Collection[api.ModelPrice]{
		client: c, kind: modelPriceKind, path: modelPricesPath, tracing: true, id: func(p api.ModelPrice) string { return p.ID }, listedOnly: true,
	}, proof: http.MethodDelete}
}

// CreateModelPrice adds an entry.
func (c *Client) CreateModelPrice(ctx context.Context, req api.ModelPriceRequest) (*api.ModelPrice, error) {
	created, _, err := creation[api.ModelPrice]{
		Collection: c.ModelPrices().Collection, name: req.Name, unique: true,
		request: request{method: http.MethodPost, path: modelPricesPath, body: req, tracing: true},
		accept:  func(p *api.ModelPrice) error { return checkName(modelPriceKind, req.Name, p.ID, p.Name) },
		match:   func(p api.ModelPrice) bool { return SamePlace(req, p) },
		shown:   func(p api.ModelPrice) any { return filled(req, p.ModelPriceRequest) },
	}.create(ctx)
	return created, err
}

// UpdateModelPrice replaces all fields of an entry, and returns it as the service then shows it.
func (c *Client) UpdateModelPrice(ctx context.Context, id string, req api.ModelPriceRequest) (*api.ModelPrice, error) {
	return update[api.ModelPrice]{
		Collection: c.ModelPrices().Collection, objectID: id,
		request: request{method: http.MethodPut, path: pathTo(modelPricesPath, id), body: req, tracing: true, repeatable: true},
		shown:   func(p api.ModelPrice) any { return filled(req, p.ModelPriceRequest) },
	}.send(ctx)
}

// SamePlace reports whether an entry of the workspace prevents the service from adding the requested one.
func SamePlace(requested api.ModelPriceRequest, found api.ModelPrice) bool {
	return found.TenantID != nil && isSamePlace(requested, found.ModelPriceRequest)
}

// isSamePlace reports whether the service would refuse to have both entries.
func isSamePlace(requested, found api.ModelPriceRequest) bool {
	return request{body: unpriced(requested)}.differs(unpriced(filled(requested, found))) == ""
}

// unpriced returns an entry without its prices, which may differ between entries for the same models.
func unpriced(p api.ModelPriceRequest) api.ModelPriceRequest {
	p.PromptCost, p.CompletionCost, p.PromptCostDetails, p.CompletionCostDetails = "", "", nil, nil
	return p
}

// filled returns an entry for the comparison with a request: the service fills in an omitted match_path.
func filled(requested, found api.ModelPriceRequest) api.ModelPriceRequest {
	if len(requested.MatchPath) == 0 {
		found.MatchPath = nil
	}
	return found
}
