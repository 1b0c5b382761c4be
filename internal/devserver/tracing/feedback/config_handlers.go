package feedback

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// configRequest creates or changes a configuration.
type configRequest struct {
	Key              string          `json:"feedback_key"`
	Config           json.RawMessage `json:"feedback_config,omitzero"`
	LowerBetter      *bool           `json:"is_lower_score_better,omitzero"`
	Enforced         *bool           `json:"is_enforced,omitzero"`
	AddCategories    []category      `json:"add_categories,omitzero"`
	RemoveCategories []category      `json:"remove_categories,omitzero"`
}

// decodeConfig refuses a configuration that would have to refuse feedback.
func decodeConfig(c *rest.Call) (configRequest, error) {
	request, err := rest.DecodeTolerant[configRequest](c)
	if err == nil && request.Enforced != nil && *request.Enforced {
		err = form.Problem(form.Body("is_enforced"), "value_error", "Value error, this server accepts feedback whether it fits its configuration or not")
	}
	return request, err
}

// createConfig returns an identical existing configuration, and refuses a conflicting one.
func createConfig(c *rest.Call) (rest.Answer, error) {
	request, err := decodeConfig(c)
	if err != nil {
		return rest.Answer{}, err
	}
	config, err := readConfig(request.Config)
	if err == nil && config == nil {
		var v form.Validator
		v.Add(form.Body("feedback_config"), "missing", "Field required")
		err = v.Err()
	}
	if err != nil {
		return rest.Answer{}, err
	}
	known, err := findConfig(c.Tx, c.WorkspaceID, request.Key)
	if err != nil {
		return rest.Answer{}, err
	}
	if known != nil {
		// Clients send false by default, and feedback that makes a configuration says nothing about it.
		return rest.OK(configAnswer(*known)), conflicts(*known, *config, request.LowerBetter != nil && *request.LowerBetter)
	}
	text, err := json.Marshal(config)
	if err != nil {
		return rest.Answer{}, err
	}
	row := store.FeedbackConfig{WorkspaceID: c.WorkspaceID, Key: request.Key, Config: string(text), LowerBetter: request.LowerBetter, ModifiedAt: c.Now}
	return rest.OK(configAnswer(row)), c.Tx.SaveFeedbackConfig(row)
}

// patchConfig changes the given fields.
func patchConfig(c *rest.Call) (rest.Answer, error) {
	request, err := decodeConfig(c)
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
		return slices.ContainsFunc(request.RemoveCategories, one.equal)
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
	p := c.Params()
	keys, part := p.Values("key"), api.OrEmpty(p.Text("name_contains"))
	page := store.Page{Limit: p.Integer("limit", limits.Page, 1, limits.Page), Offset: p.Integer("offset", 0, 0, 0)}
	enforced := p.Flag("is_enforced") // None is.
	p.Ignore("include_all_configs")   // There are no others.
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.FeedbackConfigs(c.WorkspaceID)
	if err != nil {
		return rest.Answer{}, err
	}
	rows = slices.DeleteFunc(rows, func(row store.FeedbackConfig) bool {
		return enforced || len(keys) > 0 && !slices.Contains(keys, row.Key) || !strings.Contains(row.Key, part)
	})
	return rest.OK(form.Collect(store.Window(rows, page), configAnswer)), nil
}

func deleteConfig(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	key := api.OrEmpty(p.Text("feedback_key"))
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	err := c.Tx.DeleteFeedbackConfig(c.WorkspaceID, key)
	if store.Missing(&err) {
		err = configNotFound(key)
	}
	return rest.OK(map[string]string{"message": "Feedback config deleted"}), err
}

func configNotFound(key string) *form.Error {
	return form.Missing("Feedback config for key '%s' not found", key)
}
