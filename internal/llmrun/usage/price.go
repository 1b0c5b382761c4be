package usage

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// Price is an entry of the price map: the cost of some models' tokens, in US dollars per token.
type Price struct {
	// ID is recorded with the costs calculated from the entry; it may be empty.
	ID   string
	Name string
	// MatchPattern is a regular expression (RE2) that is searched for in the name of the model.
	MatchPattern string
	// MatchPath are the invocation parameters that contain the name; the first match counts. If it is empty, the parameters
	// of defaultMatchPath count, but only for a run that names its model nowhere else.
	MatchPath []string
	// Provider must be the run's, unless it is empty.
	Provider string
	// StartTime is when the price takes effect; nil means always.
	StartTime *time.Time
	// PromptTokenThreshold limits the entry to calls with more input tokens; nil means any.
	PromptTokenThreshold *int64

	PromptCost            Decimal
	CompletionCost        Decimal
	PromptCostDetails     Costs
	CompletionCostDetails Costs
	// RequestCost is added for each call, on neither side.
	RequestCost Decimal

	// Custom distinguishes an entry of the workspace from a built-in one of the service.
	Custom    bool
	CreatedAt time.Time
}

// defaultMatchPath is the path of entries without one.
var defaultMatchPath = []string{"model", "model_name", "model_id", "model_path", "endpoint_name"}

// priceWire is an entry in the service's JSON.
type priceWire struct {
	ID                    string       `json:"id"`
	TenantID              *string      `json:"tenant_id"`
	Name                  string       `json:"name"`
	MatchPattern          string       `json:"match_pattern"`
	MatchPath             []string     `json:"match_path"`
	Provider              string       `json:"provider"`
	StartTime             *priceTime   `json:"start_time"`
	PromptTokenThreshold  *int64       `json:"prompt_token_threshold"`
	PromptCost            *Decimal     `json:"prompt_cost"`
	CompletionCost        *Decimal     `json:"completion_cost"`
	PromptCostDetails     priceDetails `json:"prompt_cost_details"`
	CompletionCostDetails priceDetails `json:"completion_cost_details"`
	RequestCost           *Decimal     `json:"request_cost"`
	CreatedAt             *priceTime   `json:"created_at"`
}

// priceTime is a time in any form that the service accepts.
type priceTime struct{ time.Time }

// UnmarshalJSON reads a time.
func (t *priceTime) UnmarshalJSON(data []byte) (err error) {
	t.Time, err = timestamp.Read(data)
	return err
}

// priceDetails are prices by kind of token; null means no price.
type priceDetails map[string]*Decimal

func (d priceDetails) costs() Costs {
	if d == nil {
		return nil
	}
	costs := make(Costs, len(d))
	for kind, price := range d {
		if price != nil {
			costs[kind] = *price
		}
	}
	return costs
}

// UnmarshalJSON reads an entry as clients send it or the service returns it: the service returns entries of a workspace
// with a tenant_id, and built-in ones without.
func (p *Price) UnmarshalJSON(data []byte) error {
	var w priceWire
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading a price: %w", inWords(err))
	}
	read := Price{
		ID: w.ID, Name: w.Name, MatchPattern: w.MatchPattern, MatchPath: w.MatchPath, Provider: w.Provider,
		PromptTokenThreshold: w.PromptTokenThreshold, PromptCostDetails: w.PromptCostDetails.costs(),
		CompletionCostDetails: w.CompletionCostDetails.costs(), Custom: w.TenantID != nil,
	}
	for _, cost := range []struct {
		key  string
		from *Decimal
		to   *Decimal
	}{{"prompt_cost", w.PromptCost, &read.PromptCost}, {"completion_cost", w.CompletionCost, &read.CompletionCost}} {
		if cost.from == nil {
			return fmt.Errorf("reading the price %s: %s is missing: set it to US dollars per token, such as 0.000002", read.label(), cost.key)
		}
		*cost.to = *cost.from
	}
	if w.RequestCost != nil {
		read.RequestCost = *w.RequestCost
	}
	if w.StartTime != nil {
		read.StartTime = &w.StartTime.Time
	}
	if w.CreatedAt != nil {
		read.CreatedAt = w.CreatedAt.Time
	}
	*p = read
	return nil
}

// inWords describes the location of a value with the wrong type, and the expected type, in JSON terms.
func inWords(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	names := map[reflect.Kind]string{
		reflect.String: "a string", reflect.Int64: "a whole number", reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object",
	}
	name := names[wrong.Type.Kind()]
	what, _, _ := strings.Cut(wrong.Value, " ")
	if wrong.Field == "" {
		return fmt.Errorf("it has the type %s: write %s", what, name)
	}
	return fmt.Errorf("%s has the type %s: write %s", wrong.Field, what, name)
}

// label names the entry in errors.
func (p *Price) label() string {
	var parts []string
	for _, part := range []string{p.Name, p.ID} {
		if part != "" {
			parts = append(parts, fmt.Sprintf("%q", part))
		}
	}
	if len(parts) == 0 {
		return "without a name"
	}
	return strings.Join(parts, " ")
}

// check returns an error for everything that makes the entry unusable.
func (p *Price) check() error {
	var problems []error
	if p.MatchPattern == "" {
		problems = append(problems, errors.New(`match_pattern is empty, which would match every model: write ".*" if that is intended`))
	}
	if n := p.PromptTokenThreshold; n != nil && *n < 0 {
		problems = append(problems, fmt.Errorf("prompt_token_threshold is %d: set it to 0 or more, or omit it", *n))
	}
	negative := func(key string, cost Decimal) {
		if cost.Sign() < 0 {
			problems = append(problems, fmt.Errorf("%s is %s: a price can't be negative", key, cost))
		}
	}
	negative("prompt_cost", p.PromptCost)
	negative("completion_cost", p.CompletionCost)
	negative("request_cost", p.RequestCost)
	for _, key := range sortedKeys(p.PromptCostDetails) {
		negative("prompt_cost_details."+key, p.PromptCostDetails[key])
	}
	for _, key := range sortedKeys(p.CompletionCostDetails) {
		negative("completion_cost_details."+key, p.CompletionCostDetails[key])
	}
	return errors.Join(problems...)
}
