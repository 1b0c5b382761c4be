package price

import (
	"encoding/json"
	"errors"
	"regexp/syntax"
	"sync"
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
		request.StartTime = new(timestamp.Format(*price.StartTime))
	}
	return request, nil
}

// answer returns an entry as JSON, because prices are numbers of any length.
func answer(row store.ModelPrice) json.RawMessage {
	price := api.ModelPrice{ID: row.ID, TenantID: &row.WorkspaceID, CreatedAt: new(form.DateTime(row.CreatedAt))}
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
		StartTime: api.Converted(p.StartTime, timestamp.Format),
	}}
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

// bounded refuses a new entry, or another pattern of an entry, if matching the name of a model would take too long with all rows of its workspace.
func (s *Service) bounded(rows []store.ModelPrice, row store.ModelPrice, pattern string) error {
	patterns := map[string]bool{pattern: true} // Equal ones are matched once.
	known, added := false, true
	for _, other := range rows {
		var entry struct {
			Pattern string `json:"match_pattern"`
		}
		if err := json.Unmarshal([]byte(other.Entry), &entry); err != nil {
			return err
		}
		known = known || entry.Pattern == pattern
		if other.ID == row.ID {
			added = false
			continue
		}
		patterns[entry.Pattern] = true
	}
	if added && len(rows) >= limits.ModelPrices {
		return form.Refuse(form.Unprocessable, "The workspace has %d model prices, and the limit is %d. Delete those that aren't needed.",
			len(rows), limits.ModelPrices)
	}
	size := s.sizes.together(patterns)
	if size <= limits.PatternSteps || known {
		return nil
	}
	return form.Problem(form.Body("match_pattern"), "value_error",
		"With this pattern, those of the workspace have %d steps when they are compiled, and the limit is %d: "+
			"repeat less, as in {100}, and list fewer characters, as in \\pL", size, limits.PatternSteps)
}

// sizes remembers the sizes of patterns: computing them takes as long as compiling.
type sizes struct {
	mu        sync.Mutex
	byPattern map[string]int
}

// together returns the total size of patterns.
func (s *sizes) together(patterns map[string]bool) (size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byPattern == nil || len(s.byPattern) > 10*limits.ModelPrices {
		s.byPattern = map[string]int{}
	}
	for pattern := range patterns {
		if _, known := s.byPattern[pattern]; !known {
			s.byPattern[pattern] = patternSize(pattern)
		}
		size += s.byPattern[pattern]
	}
	return size
}

// patternSize returns the number of steps of a compiled pattern. One that lists many characters counts as more. An invalid pattern has
// none.
func patternSize(pattern string) int {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	size := 0
	for _, step := range program.Inst {
		size += max(1, len(step.Rune))
	}
	return size
}
