package feedback

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// scale describes what the values of feedback with a key mean.
type scale struct {
	Type       string     `json:"type"`
	Min        *float64   `json:"min"`
	Max        *float64   `json:"max"`
	Categories []category `json:"categories"`
}

// category is a label and its score.
type category struct {
	Value float64 `json:"value"`
	Label *string `json:"label,omitzero"`
}

// equal reports whether two scales mean the same.
func (s scale) equal(other scale) bool {
	return s.Type == other.Type && samePointer(s.Min, other.Min) && samePointer(s.Max, other.Max) &&
		slices.EqualFunc(s.Categories, other.Categories, category.equal)
}

func (c category) equal(other category) bool {
	return c.Value == other.Value && samePointer(c.Label, other.Label)
}

func samePointer[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// conflicts refuses a scale, and whether lower scores are better, for a key that has others.
func conflicts(known store.FeedbackConfig, config scale, lowerBetter bool) error {
	var has scale
	if err := json.Unmarshal([]byte(known.Config), &has); err != nil {
		return err
	}
	if has.equal(config) && lowerBetter == (known.LowerBetter != nil && *known.LowerBetter) {
		return nil
	}
	return form.Broken("Feedback config for key '%s' already exists with other values: %s", known.Key, known.Config)
}

var configTypes = []string{"continuous", "categorical", "freeform"}

// readConfig validates a configuration. Null means none.
func readConfig(raw json.RawMessage) (*scale, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	config, err := form.Decode[struct {
		Type       string     `json:"type"`
		Min        *float64   `json:"min,omitzero"`
		Max        *float64   `json:"max,omitzero"`
		Categories []category `json:"categories,omitzero"`
	}](raw, api.Neutral)
	if err != nil {
		return nil, err
	}
	var v form.Validator
	v.Choice(&config.Type, configTypes, form.Body("feedback_config", "type"))
	return &scale{config.Type, config.Min, config.Max, config.Categories}, v.Err()
}

// ensureConfig ensures that the key of feedback has a configuration: the given one, or a matching default.
func ensureConfig(tx *store.Tx, row store.Feedback, config *scale, now time.Time) error {
	known, err := findConfig(tx, row.WorkspaceID, row.Key)
	switch {
	case err != nil || known != nil && config == nil:
		return err
	case known != nil:
		return conflicts(*known, *config, known.LowerBetter != nil && *known.LowerBetter) // Feedback says nothing about that.
	}
	if config == nil {
		config = &scale{Type: "freeform"}
		if row.Score != nil {
			config.Type = "continuous"
		}
	}
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return tx.SaveFeedbackConfig(store.FeedbackConfig{WorkspaceID: row.WorkspaceID, Key: row.Key, Config: string(text), ModifiedAt: now})
}

// findConfig returns nil if the key has none.
func findConfig(tx *store.Tx, workspaceID, key string) (*store.FeedbackConfig, error) {
	config, err := tx.FeedbackConfig(workspaceID, key)
	if store.Missing(&err) || err != nil {
		return nil, err
	}
	return &config, nil
}

func configAnswer(c store.FeedbackConfig) map[string]any {
	return map[string]any{
		"feedback_key": c.Key, "feedback_config": json.RawMessage(c.Config), "tenant_id": c.WorkspaceID,
		"is_lower_score_better": c.LowerBetter, "modified_at": form.DateTime(c.ModifiedAt),
	}
}
