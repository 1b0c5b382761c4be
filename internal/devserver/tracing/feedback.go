package tracing

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// createFeedback stores feedback, under the client's ID if it sends one. The run may not exist yet.
func (s *Service) createFeedback(c *rest.Call) (rest.Answer, error) {
	row, err := saveFeedback(c.Tx, c.WorkspaceID, c.Body, "", c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.feedbackAnswer(c, row)
}

// feedback stores feedback that was sent along with runs.
func (l *logging) feedback(one ingest.Feedback) error {
	_, err := saveFeedback(l.tx, l.workspaceID, one.Body, one.ID, l.now)
	if refused, is := errors.AsType[*rest.Error](err); is {
		return &ingest.Error{Status: refused.Status, Problem: kindOf[http.StatusUnprocessableEntity] + ": feedback " + one.ID + ": " + problemsOf(refused)}
	}
	return err
}

// problemsOf returns the problems in an error answer as one line.
func problemsOf(refused *rest.Error) string {
	body, is := refused.Body.(api.HTTPValidationError)
	if !is {
		return refused.Error()
	}
	return strings.Join(rest.Collect(body.Detail, func(e api.ValidationError) string {
		if at := len(e.Loc) - 1; at > 0 {
			return e.Loc[at].Key + ": " + e.Msg
		}
		return e.Msg
	}), "; ")
}

// getFeedback, patchFeedback and deleteFeedback handle the feedback named by the path.
func (s *Service) getFeedback(c *rest.Call) (rest.Answer, error) {
	row, err := s.oneFeedback(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.feedbackAnswer(c, row)
}

// patchFeedback changes the given fields; null removes a value.
func (s *Service) patchFeedback(c *rest.Call) (rest.Answer, error) {
	row, err := s.oneFeedback(c)
	if err != nil {
		return rest.Answer{}, err
	}
	if _, err := rest.DecodeKnown[struct {
		Score      json.RawMessage `json:"score,omitzero"`
		Value      json.RawMessage `json:"value,omitzero"`
		Correction json.RawMessage `json:"correction,omitzero"`
		Comment    *string         `json:"comment,omitzero"`
		Config     json.RawMessage `json:"feedback_config,omitzero"`
	}](c.Body); err != nil {
		return rest.Answer{}, err
	}
	var members, changes map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal([]byte(row.Body), &members), json.Unmarshal(c.Body, &changes)); err != nil {
		return rest.Answer{}, err
	}
	maps.Copy(members, changes)
	delete(members, "modified_at")
	members["created_at"] = json.RawMessage(`"` + rest.DateTime(row.CreatedAt) + `"`)
	body, err := json.Marshal(members)
	if err != nil {
		return rest.Answer{}, err
	}
	changed, err := saveFeedback(c.Tx, c.WorkspaceID, body, row.ID, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.feedbackAnswer(c, changed)
}

func (s *Service) deleteFeedback(c *rest.Call) (rest.Answer, error) {
	row, err := s.oneFeedback(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(map[string]string{"message": "Feedback deleted"}), c.Tx.DeleteFeedback(c.WorkspaceID, row.ID)
}

func (s *Service) oneFeedback(c *rest.Call) (store.Feedback, error) {
	p := rest.NewParams(c.Request)
	id := p.PathID("feedback_id")
	p.Flag("include_user_names") // There are no user names here.
	p.NoOthers()
	if err := p.Err(); err != nil {
		return store.Feedback{}, err
	}
	row, err := c.Tx.Feedback(c.WorkspaceID, id)
	if notThere(&err) {
		err = rest.NewError(http.StatusNotFound, "Feedback not found")
	}
	return row, err
}

func (s *Service) feedbackAnswer(c *rest.Call, row store.Feedback) (rest.Answer, error) {
	answer, err := newFeedbackAnswer(c, row)
	return rest.OK(answer), err
}

// listFeedback returns a bare array.
func (s *Service) listFeedback(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	f := store.FeedbackFilter{
		RunIDs: p.UUIDs("run", p.Values("run")), ProjectIDs: p.UUIDs("session", p.Values("session")), Keys: p.Values("key"),
		Sources: p.Values("source"), HasComment: p.OptionalFlag("has_comment"), HasScore: p.OptionalFlag("has_score"),
		From: timeParam(p, "min_created_at"), To: timeParam(p, "max_created_at"),
	}
	for name, values := range map[string][]string{"run": f.RunIDs, "session": f.ProjectIDs, "key": f.Keys, "source": f.Sources} {
		if len(values) > limits.ListedIDs {
			p.Add(name, "too_long", "List should have fewer items: send several requests")
		}
	}
	if level := p.OneOf("level", []string{"run", "session"}); level != nil {
		f.OnProjects = new(*level == "session")
	}
	users := p.Values("user")
	p.Flag("include_user_names")
	page := store.Page{Limit: p.Integer("limit", limits.Page, 1, limits.Page), Offset: p.Integer("offset", 0, 0, 0)}
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	all := []map[string]any{}
	if len(users) > 0 {
		return rest.OK(all), nil // There are no users here.
	}
	rows, err := c.Tx.ListFeedback(c.WorkspaceID, f, page)
	if err != nil {
		return rest.Answer{}, err
	}
	for _, row := range rows {
		answer, err := newFeedbackAnswer(c, row)
		if err != nil {
			return rest.Answer{}, err
		}
		all = append(all, answer)
	}
	return rest.OK(all), nil
}

// notThere clears err if it is store.ErrNotFound, and says whether it was.
func notThere(err *error) bool {
	if !errors.Is(*err, store.ErrNotFound) {
		return false
	}
	*err = nil
	return true
}
