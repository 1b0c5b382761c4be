package feedback

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// create stores feedback, under the client's ID if it sends one. The run may not exist yet.
func create(c *rest.Call) (rest.Answer, error) {
	row, err := Save(c.Tx, c.WorkspaceID, c.Body, "", c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	return answer(c, row)
}

// Endpoints are those of feedback and of the configurations of its keys.
func Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/feedback", Methods: rest.Methods{http.MethodGet: list, http.MethodPost: create}},
		{Path: "/feedback/{feedback_id}", Methods: rest.Methods{http.MethodGet: get, http.MethodPatch: patch, http.MethodDelete: remove}},
		{Path: "/feedback-configs", Methods: rest.Methods{
			http.MethodGet: listConfigs, http.MethodPost: createConfig, http.MethodPatch: patchConfig, http.MethodDelete: deleteConfig,
		}},
	}
}

// get handles the feedback named by the path.
func get(c *rest.Call) (rest.Answer, error) {
	row, err := named(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return answer(c, row)
}

// patch changes the given fields; null removes a value.
func patch(c *rest.Call) (rest.Answer, error) {
	row, err := named(c)
	if err != nil {
		return rest.Answer{}, err
	}
	if _, err := form.Known[struct {
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
	members["created_at"] = json.RawMessage(`"` + form.DateTime(row.CreatedAt) + `"`)
	body, err := json.Marshal(members)
	if err != nil {
		return rest.Answer{}, err
	}
	changed, err := Save(c.Tx, c.WorkspaceID, body, row.ID, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	return answer(c, changed)
}

func remove(c *rest.Call) (rest.Answer, error) {
	row, err := named(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(map[string]string{"message": "Feedback deleted"}), c.Tx.DeleteFeedback(c.WorkspaceID, row.ID)
}

// named reads the feedback named by the path.
func named(c *rest.Call) (store.Feedback, error) {
	p := rest.NewParams(c.Request)
	id := p.PathID("feedback_id")
	p.Flag("include_user_names") // There are no user names here.
	p.NoOthers()
	if err := p.Err(); err != nil {
		return store.Feedback{}, err
	}
	row, err := c.Tx.Feedback(c.WorkspaceID, id)
	if store.Missing(&err) {
		err = refusal.Missing("Feedback not found")
	}
	return row, err
}

func answer(c *rest.Call, row store.Feedback) (rest.Answer, error) {
	said, err := Answer(c.Tx, c.WorkspaceID, row)
	return rest.OK(said), err
}

// list returns a bare array.
func list(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	f := store.FeedbackFilter{
		RunIDs: p.UUIDs("run", p.Values("run")), ProjectIDs: p.UUIDs("session", p.Values("session")), Keys: p.Values("key"),
		Sources: p.Values("source"), HasComment: p.OptionalFlag("has_comment"), HasScore: p.OptionalFlag("has_score"),
		From: p.AnyTime("min_created_at"), To: p.AnyTime("max_created_at"),
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
		one, err := Answer(c.Tx, c.WorkspaceID, row)
		if err != nil {
			return rest.Answer{}, err
		}
		all = append(all, one)
	}
	return rest.OK(all), nil
}
