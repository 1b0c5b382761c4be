package price

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Service is the price map of each workspace, and its endpoints.
type Service struct {
	Maps

	sizes sizes
}

// Add adds an entry unless an identical one exists.
func (s *Service) Add(tx *store.Tx, workspaceID string, entry []byte, now time.Time) error {
	request, err := readEntry(entry)
	if err != nil {
		return err
	}
	row := store.ModelPrice{ID: uuid.NewString(), WorkspaceID: workspaceID, CreatedAt: now}
	_, err = s.write(tx, row, request, tx.InsertModelPrice)
	if refused, is := errors.AsType[*form.Error](err); is && refused.Kind == form.Conflict {
		return nil
	}
	return err
}

// write applies an entry to a row and stores the row.
func (s *Service) write(
	tx *store.Tx, row store.ModelPrice, request api.ModelPriceRequest, write func(store.ModelPrice) error,
) (store.ModelPrice, error) {
	identity, err := json.Marshal([]any{request.Name, request.MatchPattern, request.MatchPath, request.Provider, request.StartTime,
		request.PromptTokenThreshold})
	if err != nil {
		return row, err
	}
	entry, err := json.Marshal(request)
	if err != nil {
		return row, err
	}
	row.Identity, row.Entry = string(identity), string(entry)
	switch same, err := tx.ModelPriceLike(row.WorkspaceID, row.Identity); {
	case err == nil && same.ID != row.ID:
		return row, form.Conflicting("Model price %s has this name, match_pattern, match_path, provider, start_time and "+
			"prompt_token_threshold.", same.ID)
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return row, err
	}
	rows, err := tx.ModelPrices(row.WorkspaceID)
	if err != nil {
		return row, err
	}
	if err := s.bounded(rows, row, request.MatchPattern); err != nil {
		return row, err
	}
	s.forget(tx.Snapshot(), row.WorkspaceID)
	return row, write(row)
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
		return request, form.OfFields(api.ValidationError{Loc: at, Msg: "Input should be a valid dictionary", Type: "dict_type"})
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
		return form.OfFields(api.ValidationError{Loc: at, Msg: "Value error, " + err.Error(), Type: "value_error"})
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
	for name, cost := range map[string]decimal.Decimal{"prompt_cost": price.PromptCost, "completion_cost": price.CompletionCost} {
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

// defaultAnswer returns a default entry as JSON. It has no tenant_id, and can't be changed.
func defaultAnswer(p usage.Price) json.RawMessage {
	price := api.ModelPrice{ID: p.ID, ModelPriceRequest: api.ModelPriceRequest{
		Name: p.Name, MatchPattern: p.MatchPattern, MatchPath: defaultMatchPath, Provider: &p.Provider, PromptTokenThreshold: p.PromptTokenThreshold,
		PromptCost: api.DecimalNumber(p.PromptCost.String()), CompletionCost: api.DecimalNumber(p.CompletionCost.String()),
		PromptCostDetails: numbers(p.PromptCostDetails), CompletionCostDetails: numbers(p.CompletionCostDetails),
	}}
	if p.StartTime != nil {
		at := timestamp.Format(*p.StartTime)
		price.StartTime = &at
	}
	text, _ := json.Marshal(price)
	return text
}

func numbers(costs usage.Costs) map[string]api.DecimalNumber {
	if costs == nil {
		return nil
	}
	all := make(map[string]api.DecimalNumber, len(costs))
	for kind, cost := range costs {
		all[kind] = api.DecimalNumber(cost.String())
	}
	return all
}
