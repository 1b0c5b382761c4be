package feedback

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

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
		config = &scale{}
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
	return rest.OK(form.Collect(store.Window(rows, page), configAnswer)), nil
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
