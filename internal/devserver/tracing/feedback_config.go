package tracing

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// feedbackConfig describes the values of feedback.
type feedbackConfig struct {
	Type       string             `json:"type"`
	Min        *float64           `json:"min"`
	Max        *float64           `json:"max"`
	Categories []feedbackCategory `json:"categories"`
}

// feedbackCategory is a label and its score.
type feedbackCategory struct {
	Value float64 `json:"value"`
	Label *string `json:"label,omitzero"`
}

var feedbackTypes = []string{"continuous", "categorical", "freeform"}

// readFeedbackConfig validates a configuration. Null means none.
func readFeedbackConfig(raw json.RawMessage) (*feedbackConfig, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	config, err := rest.Decode[struct {
		Type       string             `json:"type"`
		Min        *float64           `json:"min,omitzero"`
		Max        *float64           `json:"max,omitzero"`
		Categories []feedbackCategory `json:"categories,omitzero"`
	}](raw, api.Neutral)
	if err != nil {
		return nil, err
	}
	var v rest.BodyValidator
	v.Choice(&config.Type, feedbackTypes, []api.LocStep{api.Key("body"), api.Key("feedback_config"), api.Key("type")})
	return &feedbackConfig{config.Type, config.Min, config.Max, config.Categories}, v.Err()
}

// ensureFeedbackConfig ensures that the key of feedback has a configuration: the given one, or a matching default.
func ensureFeedbackConfig(tx store.Tx, row store.Feedback, said json.RawMessage, now time.Time) error {
	config, err := readFeedbackConfig(said)
	if err != nil {
		return err
	}
	known, err := findFeedbackConfig(tx, row.WorkspaceID, row.Key)
	if err != nil || known != nil && config == nil {
		return err
	}
	if config == nil {
		config = &feedbackConfig{Type: "freeform"}
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
			return rest.BadRequest("Feedback config for key '%s' already exists with other values: %s", row.Key, known.Config)
		}
		return nil
	}
	return tx.SaveFeedbackConfig(store.FeedbackConfig{WorkspaceID: row.WorkspaceID, Key: row.Key, Config: string(text), ModifiedAt: now})
}

// findFeedbackConfig returns nil if the key has none.
func findFeedbackConfig(tx store.Tx, workspaceID, key string) (*store.FeedbackConfig, error) {
	config, err := tx.FeedbackConfig(workspaceID, key)
	if notThere(&err) || err != nil {
		return nil, err
	}
	return &config, nil
}

func newFeedbackConfigAnswer(c store.FeedbackConfig) map[string]any {
	return map[string]any{
		"feedback_key": c.Key, "feedback_config": json.RawMessage(c.Config), "tenant_id": c.WorkspaceID,
		"is_lower_score_better": c.LowerBetter, "modified_at": rest.DateTime(c.ModifiedAt),
	}
}

// feedbackConfigRequest creates or changes a configuration.
type feedbackConfigRequest struct {
	Key              string             `json:"feedback_key"`
	Config           json.RawMessage    `json:"feedback_config,omitzero"`
	LowerBetter      *bool              `json:"is_lower_score_better,omitzero"`
	AddCategories    []feedbackCategory `json:"add_categories,omitzero"`
	RemoveCategories []feedbackCategory `json:"remove_categories,omitzero"`
}

// createFeedbackConfig returns an identical existing configuration, and refuses a conflicting one.
func (s *Service) createFeedbackConfig(c *rest.Call) (rest.Answer, error) {
	request, err := rest.DecodeKnown[feedbackConfigRequest](c.Body)
	if err != nil {
		return rest.Answer{}, err
	}
	config, err := readFeedbackConfig(request.Config)
	if err == nil && config == nil {
		var v rest.BodyValidator
		v.Add([]api.LocStep{api.Key("body"), api.Key("feedback_config")}, "missing", "Field required")
		err = v.Err()
	}
	if err != nil {
		return rest.Answer{}, err
	}
	known, err := findFeedbackConfig(c.Tx, c.WorkspaceID, request.Key)
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
			return rest.Answer{}, rest.BadRequest("Feedback config for key '%s' already exists with other values: %s", row.Key, known.Config)
		}
		return rest.OK(newFeedbackConfigAnswer(*known)), nil
	}
	return rest.OK(newFeedbackConfigAnswer(row)), c.Tx.SaveFeedbackConfig(row)
}

func samePointer[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// patchFeedbackConfig changes the given fields.
func (s *Service) patchFeedbackConfig(c *rest.Call) (rest.Answer, error) {
	request, err := rest.DecodeKnown[feedbackConfigRequest](c.Body)
	if err != nil {
		return rest.Answer{}, err
	}
	row, err := findFeedbackConfig(c.Tx, c.WorkspaceID, request.Key)
	if err == nil && row == nil {
		err = feedbackConfigNotFound(request.Key)
	}
	if err != nil {
		return rest.Answer{}, err
	}
	config, err := readFeedbackConfig(request.Config)
	if err != nil {
		return rest.Answer{}, err
	}
	if config == nil {
		config = &feedbackConfig{}
		if err := json.Unmarshal([]byte(row.Config), config); err != nil {
			return rest.Answer{}, err
		}
	}
	config.Categories = slices.DeleteFunc(append(config.Categories, request.AddCategories...), func(one feedbackCategory) bool {
		return slices.ContainsFunc(request.RemoveCategories, func(gone feedbackCategory) bool {
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
	return rest.OK(newFeedbackConfigAnswer(*row)), c.Tx.SaveFeedbackConfig(*row)
}

// listFeedbackConfigs returns a bare array.
func (s *Service) listFeedbackConfigs(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	keys, part := p.Values("key"), rest.OrEmpty(p.Text("name_contains"))
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
	return rest.OK(rest.Collect(rest.Window(rows, page), newFeedbackConfigAnswer)), nil
}

func (s *Service) deleteFeedbackConfig(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	key := rest.OrEmpty(p.Text("feedback_key"))
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	err := c.Tx.DeleteFeedbackConfig(c.WorkspaceID, key)
	if notThere(&err) {
		err = feedbackConfigNotFound(key)
	}
	return rest.OK(map[string]string{"message": "Feedback config deleted"}), err
}

func feedbackConfigNotFound(key string) *rest.Error {
	return rest.NewError(http.StatusNotFound, "Feedback config for key '%s' not found", key)
}
