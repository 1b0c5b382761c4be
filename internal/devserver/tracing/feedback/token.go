package feedback

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

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
	f := store.FeedbackToken{Token: uuid.NewString(), WorkspaceID: workspaceID, RunID: string(r.RunID), Key: r.Key, ExpiresAt: now.Add(tokenTime)}
	if r.ID != nil {
		f.Token = string(*r.ID)
	}
	var v form.Validator
	if r.Key == "" {
		v.Add(form.Loc(at, "feedback_key"), "string_too_short", "String should have at least 1 character")
	}
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
		err = ensureConfig(tx, store.Feedback{WorkspaceID: f.WorkspaceID, Key: f.Key}, read, now)
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
