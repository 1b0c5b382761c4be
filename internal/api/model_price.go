package api

import "encoding/json"

// ModelPrice is an entry of the price map: what the tokens of the models that it matches cost.
type ModelPrice struct {
	ID string `json:"id"`
	// TenantID is the workspace; null for an entry that comes with the service, which can't be changed.
	TenantID  *string `json:"tenant_id"`
	CreatedAt *string `json:"created_at,omitempty"`
	ModelPriceRequest
}

// ModelPriceRequest creates an entry, or replaces what one says.
type ModelPriceRequest struct {
	Name string `json:"name"`
	// MatchPattern is a regular expression that is searched in the name of the model.
	MatchPattern string `json:"match_pattern"`
	// MatchPath are the invocation parameters that hold the name; the service has defaults.
	MatchPath []string `json:"match_path,omitempty"`
	// Provider has to be the run's ls_provider, unless it is null.
	Provider *string `json:"provider"`
	// StartTime is when the entry comes into effect; null means always.
	StartTime *string `json:"start_time"`
	// PromptTokenThreshold limits the entry to calls with more input tokens.
	PromptTokenThreshold *int64 `json:"prompt_token_threshold,omitempty"`
	// The prices are US dollars per token. A Number keeps all their digits; services answer some as texts.
	PromptCost            DecimalNumber            `json:"prompt_cost"`
	CompletionCost        DecimalNumber            `json:"completion_cost"`
	PromptCostDetails     map[string]DecimalNumber `json:"prompt_cost_details"`
	CompletionCostDetails map[string]DecimalNumber `json:"completion_cost_details"`
}

// DecimalNumber is a number that services write as a number or as a text. It is sent as a number, with all its digits.
type DecimalNumber string

// UnmarshalJSON reads either form.
func (d *DecimalNumber) UnmarshalJSON(data []byte) error {
	var number json.Number // Takes a text, too, if it holds a number.
	if err := json.Unmarshal(data, &number); err != nil {
		return err
	}
	*d = DecimalNumber(number)
	return nil
}

// MarshalJSON writes a number.
func (d DecimalNumber) MarshalJSON() ([]byte, error) { return json.Marshal(json.Number(d)) }
