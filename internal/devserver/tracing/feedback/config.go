package feedback

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
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

// equal reports whether two scales mean the same. A list without categories is the same as none.
func (s scale) equal(other scale) bool {
	if len(s.Categories)+len(other.Categories) == 0 {
		s.Categories, other.Categories = nil, nil
	}
	return reflect.DeepEqual(s, other)
}

func (c category) equal(other category) bool { return reflect.DeepEqual(c, other) }

// conflicts refuses a scale, and whether lower scores are better unless that is nil, for a key that has others.
func conflicts(known store.FeedbackConfig, config scale, lowerBetter *bool) error {
	var has scale
	if err := json.Unmarshal([]byte(known.Config), &has); err != nil {
		return err
	}
	if has.equal(config) && (lowerBetter == nil || *lowerBetter == (known.LowerBetter != nil && *known.LowerBetter)) {
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
	return new(scale(config)), v.Err()
}

// ensureConfig returns the configuration of a key, and refuses another one. If there is none, it is the given one, or else the default.
func ensureConfig(tx *store.Tx, row store.FeedbackConfig, config, otherwise *scale, lowerBetter *bool) (store.FeedbackConfig, error) {
	known, err := tx.FeedbackConfig(row.WorkspaceID, row.Key)
	switch {
	case err == nil && config == nil:
		return known, nil
	case err == nil:
		return known, conflicts(known, *config, lowerBetter)
	case !store.Missing(&err):
		return row, err
	case config == nil:
		config = otherwise
	}
	text, err := json.Marshal(config)
	if err != nil {
		return row, err
	}
	row.Config = string(text)
	return row, tx.SaveFeedbackConfig(row)
}

func configAnswer(c store.FeedbackConfig) map[string]any {
	return map[string]any{
		"feedback_key": c.Key, "feedback_config": json.RawMessage(c.Config), "tenant_id": c.WorkspaceID,
		"is_lower_score_better": c.LowerBetter, "modified_at": form.DateTime(c.ModifiedAt),
	}
}

// tokenTime is how long tokens are valid by default.
const tokenTime = 3 * time.Hour

// tokenRequest creates a token. The ID of a token is the token itself.
type tokenRequest struct {
	ID        *api.UUID       `json:"id,omitzero"`
	RunID     api.UUID        `json:"run_id"`
	Key       string          `json:"feedback_key"`
	Config    json.RawMessage `json:"feedback_config,omitzero"`
	ExpiresIn *struct {
		Days    int64 `json:"days,omitzero"`
		Hours   int64 `json:"hours,omitzero"`
		Minutes int64 `json:"minutes,omitzero"`
	} `json:"expires_in,omitzero"`
	ExpiresAt *string `json:"expires_at,omitzero"`
}

// row returns the token as it is stored, or its problems, which are at a location.
func (r tokenRequest) row(workspaceID string, now time.Time, at []api.LocStep) (store.FeedbackToken, error) {
	f := store.FeedbackToken{
		Token: form.NewID(r.ID), WorkspaceID: workspaceID, RunID: string(r.RunID), Key: r.Key, ExpiresAt: now.Add(tokenTime),
	}
	var v form.Validator
	v.NotEmpty(r.Key, form.Loc(at, "feedback_key"))
	if in := r.ExpiresIn; in != nil {
		var total time.Duration
		for _, part := range []struct {
			name string
			n    int64
			unit time.Duration
		}{{"days", in.Days, 24 * time.Hour}, {"hours", in.Hours, time.Hour}, {"minutes", in.Minutes, time.Minute}} {
			if part.n < 0 || part.n > int64(limits.FeedbackTokenTime/part.unit) {
				v.Add(form.Loc(at, "expires_in", part.name), "value_error", "Input should be from 0 to %d", limits.FeedbackTokenTime/part.unit)
				continue
			}
			total += time.Duration(part.n) * part.unit
		}
		f.ExpiresAt = now.Add(total)
	}
	if r.ExpiresAt != nil {
		var err error
		if f.ExpiresAt, err = timestamp.Parse(*r.ExpiresAt); err != nil {
			v.Report(form.NotTime(form.Loc(at, "expires_at"), err))
		}
	}
	if f.ExpiresAt.Sub(now) > limits.FeedbackTokenTime {
		v.Add(form.Loc(at, "expires_at"), "value_error", "Input should be at most %s from now", limits.FeedbackTokenTime)
	}
	return f, v.Err()
}

// grant creates a token, unless it exists already: clients that miss a response send the request again.
func grant(tx *store.Tx, f store.FeedbackToken, config json.RawMessage, now time.Time) (store.FeedbackToken, error) {
	read, err := readConfig(config)
	if err == nil && read != nil {
		_, err = ensureConfig(tx, store.FeedbackConfig{WorkspaceID: f.WorkspaceID, Key: f.Key, ModifiedAt: now}, read, nil, nil)
	}
	if err != nil {
		return f, err
	}
	known, err := tx.FeedbackToken(f.Token)
	switch {
	case store.Missing(&err):
		return f, tx.InsertFeedbackToken(f)
	case err != nil:
		return f, err
	case known.WorkspaceID != f.WorkspaceID || known.RunID != f.RunID || known.Key != f.Key:
		return f, form.Conflicting("A feedback token with this ID exists already.")
	}
	return known, nil
}

// give stores feedback that was given with a token, which says what it is about.
func give(tx *store.Tx, token string, said Body, now time.Time) error {
	f, err := tx.FeedbackToken(token)
	if store.Missing(&err) || err == nil && !now.Before(f.ExpiresAt) {
		return form.Missing("The feedback token doesn't exist, or has expired.")
	}
	if err != nil {
		return err
	}
	if f.Uses >= limits.FeedbackTokenUses {
		return form.Refuse(form.Forbidden, "The feedback token has been used %d times, which is the limit.", f.Uses)
	}
	if err := tx.UseFeedbackToken(token); err != nil {
		return err
	}
	said.Key, said.RunID = f.Key, (*api.UUID)(&f.RunID)
	_, err = save(tx, f.WorkspaceID, said, now)
	return err
}
