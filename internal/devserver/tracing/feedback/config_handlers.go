package feedback

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// valuesOf describes the values of feedback with a key.
type valuesOf struct {
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

var configTypes = []string{"continuous", "categorical", "freeform"}

// readConfig validates a configuration. Null means none.
func readConfig(raw json.RawMessage) (*valuesOf, error) {
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
	v.Choice(&config.Type, configTypes, []api.LocStep{api.Key("body"), api.Key("feedback_config"), api.Key("type")})
	return &valuesOf{config.Type, config.Min, config.Max, config.Categories}, v.Err()
}

// ensureConfig ensures that the key of feedback has a configuration: the given one, or a matching default.
func ensureConfig(tx Store, row store.Feedback, said json.RawMessage, now time.Time) error {
	config, err := readConfig(said)
	if err != nil {
		return err
	}
	known, err := findConfig(tx, row.WorkspaceID, row.Key)
	if err != nil || known != nil && config == nil {
		return err
	}
	if config == nil {
		config = &valuesOf{Type: "freeform"}
		if row.Score != nil {
			config.Type = "continuous"
		}
	}
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	if known != nil {
		if known.Config != string(text) {
			return refusal.Broken("Feedback config for key '%s' already exists with other values: %s", row.Key, known.Config)
		}
		return nil
	}
	return tx.SaveFeedbackConfig(store.FeedbackConfig{WorkspaceID: row.WorkspaceID, Key: row.Key, Config: string(text), ModifiedAt: now})
}

// findConfig returns nil if the key has none.
func findConfig(tx Store, workspaceID, key string) (*store.FeedbackConfig, error) {
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

// configRequest creates or changes a configuration.
type configRequest struct {
	Key              string          `json:"feedback_key"`
	Config           json.RawMessage `json:"feedback_config,omitzero"`
	LowerBetter      *bool           `json:"is_lower_score_better,omitzero"`
	AddCategories    []category      `json:"add_categories,omitzero"`
	RemoveCategories []category      `json:"remove_categories,omitzero"`
}

// createConfig returns an identical existing configuration, and refuses a conflicting one.
func createConfig(c *rest.Call) (rest.Answer, error) {
	request, err := form.Known[configRequest](c.Body)
	if err != nil {
		return rest.Answer{}, err
	}
	config, err := readConfig(request.Config)
	if err == nil && config == nil {
		var v form.Validator
		v.Add([]api.LocStep{api.Key("body"), api.Key("feedback_config")}, "missing", "Field required")
		err = v.Err()
	}
	if err != nil {
		return rest.Answer{}, err
	}
	known, err := findConfig(c.Tx, c.WorkspaceID, request.Key)
	if err != nil {
		return rest.Answer{}, err
	}
	text, err := json.Marshal(config)
	if err != nil {
		return rest.Answer{}, err
	}
	row := store.FeedbackConfig{WorkspaceID: c.WorkspaceID, Key: request.Key, Config: string(text), LowerBetter: request.LowerBetter, ModifiedAt: c.Now}
	if known != nil {
		if known.Config != row.Config || !samePointer(known.LowerBetter, row.LowerBetter) {
			return rest.Answer{}, refusal.Broken("Feedback config for key '%s' already exists with other values: %s", row.Key, known.Config)
		}
		return rest.OK(configAnswer(*known)), nil
	}
	return rest.OK(configAnswer(row)), c.Tx.SaveFeedbackConfig(row)
}

func samePointer[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// patchConfig changes the given fields.
func patchConfig(c *rest.Call) (rest.Answer, error) {
	request, err := form.Known[configRequest](c.Body)
	if err != nil {
		return rest.Answer{}, err
	}
	row, err := findConfig(c.Tx, c.WorkspaceID, request.Key)
	if err == nil && row == nil {
		err = configNotFound(request.Key)
	}
	if err != nil {
		return rest.Answer{}, err
	}
	config, err := readConfig(request.Config)
	if err != nil {
		return rest.Answer{}, err
	}
	if config == nil {
		config = &valuesOf{}
		if err := json.Unmarshal([]byte(row.Config), config); err != nil {
			return rest.Answer{}, err
		}
	}
	config.Categories = slices.DeleteFunc(append(config.Categories, request.AddCategories...), func(one category) bool {
		return slices.ContainsFunc(request.RemoveCategories, func(gone category) bool {
			return one.Value == gone.Value && samePointer(one.Label, gone.Label)
		})
	})
	if request.LowerBetter != nil {
		row.LowerBetter = request.LowerBetter
	}
	text, err := json.Marshal(config)
	if err != nil {
		return rest.Answer{}, err
	}
	row.Config, row.ModifiedAt = string(bytes.TrimSpace(text)), c.Now
	return rest.OK(configAnswer(*row)), c.Tx.SaveFeedbackConfig(*row)
}

// listConfigs returns a bare array.
func listConfigs(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	keys, part := p.Values("key"), api.OrEmpty(p.Text("name_contains"))
	page := store.Page{Limit: p.Integer("limit", limits.Page, 1, limits.Page), Offset: p.Integer("offset", 0, 0, 0)}
	p.Flag("include_all_configs") // There are no others.
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.FeedbackConfigs(c.WorkspaceID)
	if err != nil {
		return rest.Answer{}, err
	}
	rows = slices.DeleteFunc(rows, func(row store.FeedbackConfig) bool {
		return len(keys) > 0 && !slices.Contains(keys, row.Key) || !strings.Contains(row.Key, part)
	})
	return rest.OK(form.Collect(rest.Window(rows, page), configAnswer)), nil
}

func deleteConfig(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	key := api.OrEmpty(p.Text("feedback_key"))
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	err := c.Tx.DeleteFeedbackConfig(c.WorkspaceID, key)
	if store.Missing(&err) {
		err = configNotFound(key)
	}
	return rest.OK(map[string]string{"message": "Feedback config deleted"}), err
}

func configNotFound(key string) *refusal.Error {
	return refusal.Missing("Feedback config for key '%s' not found", key)
}
