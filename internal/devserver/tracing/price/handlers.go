package price

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Service is the price map of each workspace, and its endpoints.
type Service struct{ Maps }

// Store are the operations on stored prices.
type Store interface {
	Reader
	ModelPrice(workspaceID, id string) (store.ModelPrice, error)
	ModelPriceLike(workspaceID, identity string) (store.ModelPrice, error)
	InsertModelPrice(p store.ModelPrice) error
	UpdateModelPrice(p store.ModelPrice) error
	DeleteModelPrice(workspaceID, id string) error
}

// Endpoints are those of the price map.
func (s *Service) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/model-price-map", Methods: rest.Methods{http.MethodGet: s.list, http.MethodPost: s.create}},
		{Path: "/model-price-map/{price_id}", Methods: rest.Methods{http.MethodPut: s.update, http.MethodDelete: s.delete}},
	}
}

// Add adds an entry unless an identical one exists.
func (s *Service) Add(c *rest.Call, entry []byte) error {
	call := *c
	call.Body = entry
	_, err := s.create(&call)
	if refused, is := errors.AsType[*refusal.Error](err); is && refused.Kind == refusal.Conflict {
		return nil
	}
	return err
}

// list returns a bare array. There are no built-in entries, so all are the workspace's.
func (s *Service) list(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	window := store.Page{Limit: p.Integer("limit", 100, 1, limits.LongPage), Offset: p.Integer("offset", 0, 0, 0)}
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.ModelPrices(c.WorkspaceID)
	if err != nil {
		return rest.Answer{}, err
	}
	a := rest.OK(form.Collect(rest.Window(rows, window), answer))
	a.Header = http.Header{"X-Pagination-Total": {strconv.Itoa(len(rows))}}
	return a, nil
}

func (s *Service) create(c *rest.Call) (rest.Answer, error) {
	row := store.ModelPrice{ID: uuid.NewString(), WorkspaceID: c.WorkspaceID, CreatedAt: c.Now}
	return s.write(c, row, c.Tx.InsertModelPrice)
}

func (s *Service) update(c *rest.Call) (rest.Answer, error) {
	row, err := priceOf(c, c.Tx)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.write(c, row, c.Tx.UpdateModelPrice)
}

func (s *Service) delete(c *rest.Call) (rest.Answer, error) {
	row, err := priceOf(c, c.Tx)
	if err != nil {
		return rest.Answer{}, err
	}
	s.forget(c.WorkspaceID)
	return rest.OK(map[string]string{"message": "Model price deleted."}), c.Tx.DeleteModelPrice(c.WorkspaceID, row.ID)
}

// priceOf reads the entry named by the path.
func priceOf(c *rest.Call, tx Store) (store.ModelPrice, error) {
	p := rest.NewParams(c.Request)
	id := p.PathID("price_id")
	if err := p.Err(); err != nil {
		return store.ModelPrice{}, err
	}
	row, err := tx.ModelPrice(c.WorkspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, refusal.Missing("Model price ID %s not found.", id)
	}
	return row, err
}

// write validates the body, applies it to a row and stores the row.
func (s *Service) write(c *rest.Call, row store.ModelPrice, write func(store.ModelPrice) error) (rest.Answer, error) {
	request, err := readEntry(c.Body)
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
		return rest.Answer{}, refusal.Conflicting("Model price '%s' already exists with this match_pattern, match_path, provider, start_time and "+
			"prompt_token_threshold: its ID is %s.", request.Name, same.ID)
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return rest.Answer{}, err
	}
	s.forget(c.WorkspaceID)
	return rest.OK(answer(row)), write(row)
}

// defaultMatchPath is the match_path of entries without one.
var defaultMatchPath = []string{"model", "model_name", "model_id", "model_path", "endpoint_name"}

// readEntry reads an entry into a canonical form, so that equal entries have equal JSON.
func readEntry(body []byte) (api.ModelPriceRequest, error) {
	var request api.ModelPriceRequest
	raw, err := form.Parse(body)
	if err != nil {
		return request, err
	}
	at := []api.LocStep{api.Key("body")}
	object, is := raw.(map[string]any)
	if !is {
		return request, refusal.OfFields(api.ValidationError{Loc: at, Msg: "Input should be a valid dictionary", Type: "dict_type"})
	}
	var v form.Validator
	for _, required := range []string{"name", "match_pattern", "prompt_cost", "completion_cost"} {
		if object[required] == nil {
			v.Add(form.Loc(at, required), "missing", "Field required")
		}
	}
	if err := v.Err(); err != nil {
		return request, err
	}
	invalid := func(err error) error {
		return refusal.OfFields(api.ValidationError{Loc: at, Msg: "Value error, " + err.Error(), Type: "value_error"})
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return request, invalid(err)
	}
	if len(request.MatchPattern) > limits.PatternBytes {
		v.Add(form.Loc(at, "match_pattern"), "string_too_long", "String should have at most %d bytes", limits.PatternBytes)
		return request, v.Err()
	}
	var price usage.Price
	if err := json.Unmarshal(body, &price); err != nil {
		return request, invalid(err)
	}
	for name, cost := range map[string]usage.Decimal{"prompt_cost": price.PromptCost, "completion_cost": price.CompletionCost} {
		if figure.Absurd(cost) {
			v.Add(form.Loc(at, name), "less_than_equal", "Input should be less than or equal to %d", int64(limits.Amount))
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

// answer returns an entry as JSON, because prices are numbers of any length.
func answer(row store.ModelPrice) json.RawMessage {
	created := form.DateTime(row.CreatedAt)
	price := api.ModelPrice{ID: row.ID, TenantID: &row.WorkspaceID, CreatedAt: &created}
	// It was encoded here, so decoding can't fail.
	_ = json.Unmarshal([]byte(row.Entry), &price.ModelPriceRequest)
	text, _ := json.Marshal(price)
	return text
}
