package api

import "encoding/json"

// ModelPrice is an entry of the price map: the token prices of the models that it matches.
type ModelPrice struct {
	ID string `json:"id" format:"id"`
	// TenantID is the workspace; null for an entry that comes with the service, which can't be changed.
	TenantID  *string `json:"tenant_id" format:"id"`
	CreatedAt *string `json:"created_at,omitempty"`
	ModelPriceRequest
}

// ModelPriceRequest creates an entry, or replaces the contents of one.
type ModelPriceRequest struct {
	Name string `json:"name"`
	// MatchPattern is a regular expression that matches a part of the model's name.
	MatchPattern string `json:"match_pattern"`
	// MatchPath are the invocation parameters that contain the name; the service has defaults.
	MatchPath []string `json:"match_path,omitempty"`
	// Provider must equal the run's ls_provider, unless it is null.
	Provider *string `json:"provider"`
	// StartTime is when the entry comes into effect; null means always.
	StartTime *string `json:"start_time"`
	// PromptTokenThreshold limits the entry to calls with more input tokens.
	PromptTokenThreshold *int64 `json:"prompt_token_threshold,omitempty"`
	// Prices are in US dollars per token. A Number keeps all digits; services return some as strings.
	PromptCost            DecimalNumber            `json:"prompt_cost"`
	CompletionCost        DecimalNumber            `json:"completion_cost"`
	PromptCostDetails     map[string]DecimalNumber `json:"prompt_cost_details"`
	CompletionCostDetails map[string]DecimalNumber `json:"completion_cost_details"`
}

// DecimalNumber is a number that services write as a number or as a string. It is sent as a number, with all its digits.
type DecimalNumber string

// UnmarshalJSON reads either form.
func (d *DecimalNumber) UnmarshalJSON(data []byte) error {
	var number json.Number // Also accepts a string that contains a number.
	if err := json.Unmarshal(data, &number); err != nil {
		return err
	}
	*d = DecimalNumber(number)
	return nil
}

// MarshalJSON writes a number, and null for none: services may list a kind of token without a price.
func (d DecimalNumber) MarshalJSON() ([]byte, error) {
	if d == "" {
		return []byte("null"), nil
	}
	return json.Marshal(json.Number(d))
}
