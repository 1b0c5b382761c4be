package usage

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// Price is an entry of the price map: the cost of some models' tokens, in US dollars per token.
type Price struct {
	// ID is recorded with the costs calculated from the entry; it may be empty.
	ID   string `json:"id"`
	Name string `json:"name"`
	// MatchPattern is a regular expression (RE2) that is searched for in the name of the model.
	MatchPattern string `json:"match_pattern"`
	// MatchPath are the invocation parameters that contain the name; the first match counts. If it is empty, the parameters
	// of defaultMatchPath count, but only for a run that names its model nowhere else.
	MatchPath []string `json:"match_path"`
	// Provider must be the run's, unless it is empty.
	Provider string `json:"provider"`
	// StartTime is when the price takes effect; nil means always.
	StartTime *time.Time `json:"-"`
	// PromptTokenThreshold limits the entry to calls with more input tokens; nil means any.
	PromptTokenThreshold *int64 `json:"prompt_token_threshold"`

	PromptCost            Decimal `json:"-"`
	CompletionCost        Decimal `json:"-"`
	PromptCostDetails     Costs   `json:"-"`
	CompletionCostDetails Costs   `json:"-"`
	// RequestCost is added for each call, on neither side.
	RequestCost Decimal `json:"request_cost"`

	// Custom distinguishes an entry of the workspace from a built-in one of the service.
	Custom    bool      `json:"-"`
	CreatedAt time.Time `json:"-"`
}

// defaultMatchPath is the path of entries without one.
var defaultMatchPath = []string{"model", "model_name", "model_id", "model_path", "endpoint_name"}

// priceTime is a time in any form that the service accepts.
type priceTime struct{ time.Time }

// UnmarshalJSON reads a time.
func (t *priceTime) UnmarshalJSON(data []byte) (err error) {
	t.Time, err = timestamp.Read(data)
	return err
}

// pricesOf returns prices by kind of token; null means no price.
func pricesOf(details map[string]*Decimal) Costs {
	if details == nil {
		return nil
	}
	costs := Costs{}
	for kind, price := range details {
		if price != nil {
			costs[kind] = *price
		}
	}
	return costs
}

// UnmarshalJSON reads an entry as clients send it or the service returns it: the service returns entries of a workspace
// with a tenant_id, and built-in ones without.
func (p *Price) UnmarshalJSON(data []byte) error {
	type fields Price
	var simple fields
	var w struct {
		TenantID              *string             `json:"tenant_id"`
		StartTime             *priceTime          `json:"start_time"`
		PromptCost            *Decimal            `json:"prompt_cost"`
		CompletionCost        *Decimal            `json:"completion_cost"`
		PromptCostDetails     map[string]*Decimal `json:"prompt_cost_details"`
		CompletionCostDetails map[string]*Decimal `json:"completion_cost_details"`
		CreatedAt             *priceTime          `json:"created_at"`
	}
	if err := cmp.Or(json.Unmarshal(data, &simple), json.Unmarshal(data, &w)); err != nil {
		return fmt.Errorf("reading a price: %w", inWords(err))
	}
	read := Price(simple)
	if w.PromptCost == nil || w.CompletionCost == nil {
		missing := "completion_cost"
		if w.PromptCost == nil {
			missing = "prompt_cost"
		}
		return fmt.Errorf("reading the price %s: %s is missing: set it to US dollars per token, such as 0.000002", read.label(), missing)
	}
	read.PromptCost, read.PromptCostDetails = *w.PromptCost, pricesOf(w.PromptCostDetails)
	read.CompletionCost, read.CompletionCostDetails = *w.CompletionCost, pricesOf(w.CompletionCostDetails)
	read.Custom, read.CreatedAt = w.TenantID != nil, orZero(w.CreatedAt).Time
	if w.StartTime != nil {
		read.StartTime = &w.StartTime.Time
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
	what, _, _ := strings.Cut(wrong.Value, " ")
	return fmt.Errorf("%s has the type %s: write %s", cmp.Or(wrong.Field, "it"), what, names[wrong.Type.Kind()])
}

// label names the entry in errors.
func (p *Price) label() string {
	var parts []string
	for _, part := range []string{p.Name, p.ID} {
		if part != "" {
			parts = append(parts, strconv.Quote(part))
		}
	}
	return cmp.Or(strings.Join(parts, " "), "without a name")
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
