package tracing

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// prices caches the price maps of workspaces, which are compiled on first use.
type prices struct {
	mu          sync.Mutex
	byWorkspace map[string]*usage.PriceMap
}

// of returns the price map of a workspace. Write transactions run one at a time, so nobody changes it meanwhile.
func (p *prices) of(tx store.Tx, workspaceID string) (*usage.PriceMap, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ready, known := p.byWorkspace[workspaceID]; known {
		return ready, nil
	}
	rows, err := tx.ModelPrices(workspaceID)
	if err != nil {
		return nil, err
	}
	entries := make([]usage.Price, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal(newModelPrice(row), &entries[i]); err != nil {
			return nil, err
		}
	}
	ready, err := usage.NewPriceMap(entries)
	if err != nil {
		return nil, err
	}
	if p.byWorkspace == nil {
		p.byWorkspace = map[string]*usage.PriceMap{}
	}
	p.byWorkspace[workspaceID] = ready
	return ready, nil
}

// forget invalidates the cache after a change.
func (p *prices) forget(workspaceID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.byWorkspace, workspaceID)
}

// listModelPrices returns a bare array. There are no built-in entries, so all are the workspace's.
func (s *Service) listModelPrices(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	window := store.Page{Limit: p.Integer("limit", 100, 1, limits.LongPage), Offset: p.Integer("offset", 0, 0, 0)}
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.ModelPrices(c.WorkspaceID)
	if err != nil {
		return rest.Answer{}, err
	}
	a := rest.OK(rest.Collect(rest.Window(rows, window), newModelPrice))
	a.Header = http.Header{"X-Pagination-Total": {strconv.Itoa(len(rows))}}
	return a, nil
}

func (s *Service) createModelPrice(c *rest.Call) (rest.Answer, error) {
	row := store.ModelPrice{ID: uuid.NewString(), WorkspaceID: c.WorkspaceID, CreatedAt: c.Now}
	return s.writeModelPrice(c, row, c.Tx.InsertModelPrice)
}

func (s *Service) updateModelPrice(c *rest.Call) (rest.Answer, error) {
	row, err := s.modelPrice(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.writeModelPrice(c, row, c.Tx.UpdateModelPrice)
}

func (s *Service) deleteModelPrice(c *rest.Call) (rest.Answer, error) {
	row, err := s.modelPrice(c)
	if err != nil {
		return rest.Answer{}, err
	}
	s.prices.forget(c.WorkspaceID)
	return rest.OK(map[string]string{"message": "Model price deleted."}), c.Tx.DeleteModelPrice(c.WorkspaceID, row.ID)
}

// modelPrice reads the entry named by the path.
func (s *Service) modelPrice(c *rest.Call) (store.ModelPrice, error) {
	p := rest.NewParams(c.Request)
	id := p.PathID("price_id")
	if err := p.Err(); err != nil {
		return store.ModelPrice{}, err
	}
	row, err := c.Tx.ModelPrice(c.WorkspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, rest.NewError(http.StatusNotFound, "Model price ID %s not found.", id)
	}
	return row, err
}

// writeModelPrice validates the body, applies it to a row and stores the row.
func (s *Service) writeModelPrice(c *rest.Call, row store.ModelPrice, write func(store.ModelPrice) error) (rest.Answer, error) {
	request, err := readModelPrice(c.Body)
	if err != nil {
		return rest.Answer{}, err
	}
	identity, err := json.Marshal([]any{request.Name, request.MatchPattern, request.MatchPath, request.Provider, request.StartTime,
		request.PromptTokenThreshold})
	if err != nil {
		return rest.Answer{}, err
	}
	entry, err := json.Marshal(request)
	if err != nil {
		return rest.Answer{}, err
	}
	row.Identity, row.Entry = string(identity), string(entry)
	switch same, err := c.Tx.ModelPriceLike(c.WorkspaceID, row.Identity); {
	case err == nil && same.ID != row.ID:
		return rest.Answer{}, rest.Conflict("Model price '%s' already exists with this match_pattern, match_path, provider, start_time and "+
			"prompt_token_threshold: its ID is %s.", request.Name, same.ID)
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return rest.Answer{}, err
	}
	s.prices.forget(c.WorkspaceID)
	return rest.OK(newModelPrice(row)), write(row)
}

// defaultMatchPath is the match_path of entries without one.
var defaultMatchPath = []string{"model", "model_name", "model_id", "model_path", "endpoint_name"}

// readModelPrice reads an entry into a canonical form, so that equal entries have equal JSON.
func readModelPrice(body []byte) (api.ModelPriceRequest, error) {
	var request api.ModelPriceRequest
	raw, err := rest.Parse(body)
	if err != nil {
		return request, err
	}
	at := []api.LocStep{api.Key("body")}
	object, is := raw.(map[string]any)
	if !is {
		return request, rest.Unprocessable(api.ValidationError{Loc: at, Msg: "Input should be a valid dictionary", Type: "dict_type"})
	}
	var v rest.BodyValidator
	for _, required := range []string{"name", "match_pattern", "prompt_cost", "completion_cost"} {
		if object[required] == nil {
			v.Add(rest.Loc(at, required), "missing", "Field required")
		}
	}
	if err := v.Err(); err != nil {
		return request, err
	}
	invalid := func(err error) error {
		return rest.Unprocessable(api.ValidationError{Loc: at, Msg: "Value error, " + err.Error(), Type: "value_error"})
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return request, invalid(err)
	}
	if len(request.MatchPattern) > limits.PatternBytes {
		v.Add(rest.Loc(at, "match_pattern"), "string_too_long", "String should have at most %d bytes", limits.PatternBytes)
		return request, v.Err()
	}
	var price usage.Price
	if err := json.Unmarshal(body, &price); err != nil {
		return request, invalid(err)
	}
	for name, cost := range map[string]usage.Decimal{"prompt_cost": price.PromptCost, "completion_cost": price.CompletionCost} {
		if figure.Absurd(cost) {
			v.Add(rest.Loc(at, name), "less_than_equal", "Input should be less than or equal to %d", int64(limits.Amount))
		}
	}
	if err := v.Err(); err != nil {
		return request, err
	}
	if _, err := usage.NewPriceMap([]usage.Price{price}); err != nil {
		return request, invalid(err)
	}
	if len(request.MatchPath) == 0 {
		request.MatchPath = defaultMatchPath
	}
	if price.StartTime != nil {
		at := timestamp.Format(*price.StartTime)
		request.StartTime = &at
	}
	return request, nil
}

// newModelPrice returns an entry as JSON, because prices are numbers of any length.
func newModelPrice(row store.ModelPrice) json.RawMessage {
	created := rest.DateTime(row.CreatedAt)
	price := api.ModelPrice{ID: row.ID, TenantID: &row.WorkspaceID, CreatedAt: &created}
	// It was encoded here, so decoding can't fail.
	_ = json.Unmarshal([]byte(row.Entry), &price.ModelPriceRequest)
	text, _ := json.Marshal(price)
	return text
}
