package feedback

import (
	"encoding/json"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// create stores feedback, under the client's ID if it sends one. The run may not exist yet.
func create(c *rest.Call, said Body) (rest.Answer, error) {
	row, err := save(c.Tx, c.WorkspaceID, said, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	return answer(c, row)
}

// Endpoints are those of feedback and of the configurations of its keys.
func Endpoints() []rest.Endpoint {
	return append(tokenEndpoints(), []rest.Endpoint{
		{Path: "/feedback", Methods: rest.Methods{http.MethodGet: list, http.MethodPost: rest.WithBody(create)}},
		{Path: "/feedback/{feedback_id}", Methods: rest.Methods{
			http.MethodGet: rest.WithNamed(named, answer), http.MethodPatch: rest.WithNamed(named, patch), http.MethodDelete: rest.WithNamed(named, remove),
		}},
		{Path: "/feedback-configs", Methods: rest.Methods{
			http.MethodGet: listConfigs, http.MethodPost: createConfig, http.MethodPatch: patchConfig, http.MethodDelete: deleteConfig,
		}},
	}...)
}

// patch changes the given fields; null removes a value.
func patch(c *rest.Call, row store.Feedback) (rest.Answer, error) {
	changes, err := rest.DecodeTolerant[struct {
		Score      api.Optional[json.RawMessage] `json:"score,omitzero"`
		Value      api.Optional[json.RawMessage] `json:"value,omitzero"`
		Correction api.Optional[json.RawMessage] `json:"correction,omitzero"`
		Comment    api.Optional[string]          `json:"comment,omitzero"`
		Config     json.RawMessage               `json:"feedback_config,omitzero"`
	}](c)
	if err != nil {
		return rest.Answer{}, err
	}
	said, err := Decode(row)
	if err != nil {
		return rest.Answer{}, err
	}
	for to, change := range map[*json.RawMessage]api.Optional[json.RawMessage]{
		&said.Score: changes.Score, &said.Value: changes.Value, &said.Correction: changes.Correction,
	} {
		if change.Present {
			*to, _ = change.Get()
		}
	}
	if changes.Comment.Present {
		said.Comment = changes.Comment.Value
	}
	said.ID, said.Config = (*api.UUID)(&row.ID), changes.Config
	said.CreatedAt, said.ModifiedAt = new(form.DateTime(row.CreatedAt)), nil
	changed, err := save(c.Tx, c.WorkspaceID, said, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	return answer(c, changed)
}

func remove(c *rest.Call, row store.Feedback) (rest.Answer, error) {
	return rest.OK(map[string]string{"message": "Feedback deleted"}), c.Tx.DeleteFeedback(c.WorkspaceID, row.ID)
}

// named reads the feedback named by the path.
func named(c *rest.Call) (store.Feedback, error) {
	p := c.Params()
	id := p.PathID("feedback_id")
	p.Ignore("include_user_names") // There are no user names here.
	if err := p.Err(); err != nil {
		return store.Feedback{}, err
	}
	row, err := c.Tx.Feedback(c.WorkspaceID, id)
	if store.Missing(&err) {
		err = form.Missing("Feedback not found")
	}
	return row, err
}

func answer(c *rest.Call, row store.Feedback) (rest.Answer, error) {
	said, err := Answer(c.Tx, c.WorkspaceID, row)
	return rest.OK(said), err
}

// ReadFilter reads the parameters of lists of feedback.
func ReadFilter(p *rest.Params) (store.FeedbackFilter, store.Page) {
	f := store.FeedbackFilter{
		RunIDs: p.UUIDs("run", p.Values("run")), ProjectIDs: p.UUIDs("session", p.Values("session")), Keys: p.Values("key"),
		Sources: p.Members("source"), HasComment: p.OptionalFlag("has_comment"), HasScore: p.OptionalFlag("has_score"),
		From: p.AnyTime("min_created_at"), To: p.AnyTime("max_created_at"),
	}
	if level := p.OneOf("level", []string{"run", "session"}); level != nil {
		f.OnProjects = new(*level == "session")
	}
	if len(p.Values("user")) > 0 {
		f.Keys = []string{} // There are no users here, and therefore no feedback of theirs.
	}
	p.Unsupported("comparative_experiment_id", "feedback_thread_id")
	p.Ignore("include_user_names")
	return f, store.Page{Limit: p.Integer("limit", limits.Page, 1, limits.Page), Offset: p.Integer("offset", 0, 0, 0)}
}

// list returns a bare array.
func list(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	f, page := ReadFilter(p)
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.ListFeedback(c.WorkspaceID, f, page)
	if err != nil {
		return rest.Answer{}, err
	}
	return Answers(c.Tx, c.WorkspaceID, rows)
}

// Answers returns a list of feedback.
func Answers(tx *store.Tx, workspaceID string, rows []store.Feedback) (rest.Answer, error) {
	all := make([]map[string]any, len(rows))
	for i, row := range rows {
		var err error
		if all[i], err = Answer(tx, workspaceID, row); err != nil {
			return rest.Answer{}, err
		}
	}
	return rest.OK(all), nil
}
