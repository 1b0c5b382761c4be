package feedback

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Body is the feedback on a run or a project. It is stored unchanged, except for fields with their own columns.
type Body struct {
	ID  *api.UUID `json:"id,omitzero"`
	Key string    `json:"key"`
	content
	RunID      *api.UUID       `json:"run_id,omitzero"`
	TraceID    *api.UUID       `json:"trace_id,omitzero"`
	SessionID  *api.UUID       `json:"session_id,omitzero"`
	StartTime  json.RawMessage `json:"start_time,omitzero"`
	Source     *Source         `json:"feedback_source,omitzero"`
	Error      *bool           `json:"error,omitzero"`
	Extra      json.RawMessage `json:"extra,omitzero"`
	CreatedAt  *string         `json:"created_at,omitzero"`
	ModifiedAt *string         `json:"modified_at,omitzero"`

	ComparativeExperimentID *api.UUID `json:"comparative_experiment_id,omitzero"`
	GroupID                 *api.UUID `json:"feedback_group_id,omitzero"`
	ThreadID                *string   `json:"feedback_thread_id,omitzero"`

	Config json.RawMessage `json:"feedback_config,omitzero"`
	// OtherConfig is the name that one client uses.
	OtherConfig json.RawMessage `json:"feedbackConfig,omitzero"`
}

// content is what is said.
type content struct {
	Score      json.RawMessage `json:"score,omitzero"` // A number, true or false.
	Value      json.RawMessage `json:"value,omitzero"` // Anything but a list.
	Correction json.RawMessage `json:"correction,omitzero"`
	Comment    *string         `json:"comment,omitzero"`
	// Retention has no effect: everything is kept.
	Retention json.RawMessage `json:"extend_trace_retention,omitzero"`
}

// Source is the origin of feedback.
type Source struct {
	Type     string          `json:"type,omitzero"`
	Metadata json.RawMessage `json:"metadata,omitzero"`
	UserID   *string         `json:"user_id,omitzero"`
	LSUserID *string         `json:"ls_user_id,omitzero"`
	UserName *string         `json:"user_name,omitzero"`
}

// precision is the number of steps per unit of a score.
const precision = 1e4

// row returns the feedback as it is stored, or its problems.
func (b Body) row(workspaceID string, now time.Time) (store.Feedback, error) {
	f := store.Feedback{
		WorkspaceID: workspaceID, Key: b.Key, RunID: (*string)(b.RunID), Comment: b.Comment, Source: "api", CreatedAt: now, ModifiedAt: now,
	}
	var v form.Validator
	v.NotEmpty(b.Key, form.Body("key"))
	switch {
	case b.RunID != nil:
	case b.SessionID != nil:
		f.ProjectID = (*string)(b.SessionID)
	default:
		v.Add(form.Body("run_id"), "missing", "Field required: the ID of the run, or session_id for a project")
	}
	score, problem := readScore(b.Score)
	if f.Score = score; problem != "" {
		v.Add(form.Body("score"), "float_type", "%s", problem)
	}
	switch text := string(b.Value); {
	case text == "" || text == "null":
	case text[0] == '[':
		v.Add(form.Body("value"), "value_error", "Input should be a string, a number, true, false or an object")
	default:
		f.Value = &text
		_ = json.Unmarshal(b.Value, &text) // Anything that isn't a string stays JSON.
	}
	if b.Source != nil && b.Source.Type != "" {
		f.Source = b.Source.Type
	}
	if err := form.SetTime("created_at", b.CreatedAt, &f.CreatedAt); err != nil {
		return f, err
	}
	if err := form.SetTime("modified_at", b.ModifiedAt, &f.ModifiedAt); err != nil {
		return f, err
	}
	if err := v.Err(); err != nil {
		return f, err
	}
	f.ID = form.NewID(b.ID)
	b.Config, b.OtherConfig, b.Retention = nil, nil, nil
	text, err := json.Marshal(b)
	f.Body = string(text)
	return f, err
}

// readScore returns nil without a score, or the problem of an invalid one. True counts as one, and false as zero.
func readScore(raw json.RawMessage) (score *float64, problem string) {
	var value any
	if raw == nil || json.Unmarshal(raw, &value) == nil && value == nil {
		return nil, ""
	}
	switch value := value.(type) {
	case bool:
		return new(map[bool]float64{true: 1}[value]), ""
	case float64:
		if math.Abs(value) > limits.Amount {
			return nil, fmt.Sprintf("Input should be between -%d and %[1]d", int64(limits.Amount))
		}
		if math.Round(value*precision)/precision != value {
			return nil, "Input should have at most 4 decimals"
		}
		return &value, ""
	}
	return nil, "Input should be a valid number, true or false"
}

// Answer returns feedback as it appears in responses. Project and trace default to those of the run.
func Answer(tx *store.Tx, workspaceID string, f store.Feedback) (map[string]any, error) {
	body, err := Decode(f)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{
		"id": f.ID, "key": f.Key, "score": body.Score, "value": body.Value, "correction": body.Correction, "comment": f.Comment,
		"run_id": f.RunID, "trace_id": body.TraceID, "session_id": body.SessionID, "start_time": body.StartTime, "error": body.Error,
		"extra": body.Extra, "comparative_experiment_id": body.ComparativeExperimentID, "feedback_group_id": body.GroupID,
		"feedback_thread_id": body.ThreadID, "created_at": form.DateTime(f.CreatedAt), "modified_at": form.DateTime(f.ModifiedAt),
		"feedback_source": Source{Type: f.Source},
	}
	if body.Source != nil {
		body.Source.Type = f.Source
		answer["feedback_source"] = body.Source
	}
	if f.RunID == nil {
		return answer, nil
	}
	run, err := tx.Run(workspaceID, *f.RunID)
	if store.Missing(&err) || err != nil {
		return answer, err // The run may still arrive.
	}
	answer["trace_id"], answer["session_id"], answer["is_root"] = run.TraceID, run.ProjectID, run.ParentRunID == nil
	return answer, nil
}

// Decode returns the stored feedback.
func Decode(f store.Feedback) (Body, error) {
	var body Body
	err := json.NewDecoder(strings.NewReader(f.Body)).Decode(&body)
	return body, err
}

// Entry is feedback that is ready to be stored, with the configuration of its key, if it has one.
type Entry struct {
	row    store.Feedback
	config *scale
}

// Entry returns the feedback, or its problems.
func (b Body) Entry(workspaceID string, now time.Time) (Entry, error) {
	row, err := b.row(workspaceID, now)
	if err != nil {
		return Entry{}, err
	}
	config := b.Config
	if config == nil {
		config = b.OtherConfig
	}
	read, err := readConfig(config)
	return Entry{row, read}, err
}

// Save stores feedback, under its ID if it has one: clients that miss a response send it again under the same ID.
func (e Entry) Save(tx *store.Tx, now time.Time) error {
	if e.row.ProjectID != nil {
		_, err := tx.Project(e.row.WorkspaceID, *e.row.ProjectID)
		if errors.Is(err, store.ErrNotFound) {
			return form.Missing("Session ID %s not found.", *e.row.ProjectID)
		}
		if err != nil {
			return err
		}
	}
	otherwise := scale{Type: "freeform"}
	if e.row.Score != nil {
		otherwise.Type = "continuous"
	}
	if _, err := ensureConfig(tx, store.FeedbackConfig{WorkspaceID: e.row.WorkspaceID, Key: e.row.Key, ModifiedAt: now}, e.config, &otherwise, nil); err != nil {
		return err
	}
	return tx.SaveFeedback(e.row)
}

// save stores feedback and returns it.
func save(tx *store.Tx, workspaceID string, said Body, now time.Time) (store.Feedback, error) {
	entry, err := said.Entry(workspaceID, now)
	if err == nil {
		err = entry.Save(tx, now)
	}
	return entry.row, err
}
