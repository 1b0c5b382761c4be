package feedback

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// create stores feedback, under its ID if it has one, and returns it. The run may not exist yet.
func create(c *rest.Call, said Body) (rest.Answer, error) {
	row, err := save(c.Tx, c.WorkspaceID, said, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	return answer(c, row)
}

// Endpoints are those of feedback, of the configurations of its keys, and of tokens.
func Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/feedback", Methods: rest.Methods{http.MethodGet: list, http.MethodPost: rest.Decoded(create)}},
		{Path: "/feedback/{feedback_id}", Methods: rest.Methods{
			http.MethodGet: rest.WithNamed(named, answer), http.MethodPatch: rest.Changing(named, patch), http.MethodDelete: rest.WithNamed(named, remove),
		}},
		{Path: "/feedback-configs", Methods: rest.Methods{
			http.MethodGet: listConfigs, http.MethodPost: rest.Decoded(createConfig), http.MethodPatch: rest.Decoded(patchConfig), http.MethodDelete: deleteConfig,
		}},
		// With a token, people who have no key give feedback by a link.
		{Path: "/feedback/tokens", Confidential: true, Methods: rest.Methods{http.MethodGet: listTokens, http.MethodPost: createTokens}},
		{Path: "/feedback/tokens/{feedback_token}", Public: true, Writes: true, Methods: rest.Methods{http.MethodGet: giveByLink, http.MethodPost: rest.Decoded(giveByToken)}},
	}
}

// changes are the fields of feedback that a patch changes; null removes a value.
type changes struct {
	Score      api.Optional[json.RawMessage] `json:"score,omitzero"`
	Value      api.Optional[json.RawMessage] `json:"value,omitzero"`
	Correction api.Optional[json.RawMessage] `json:"correction,omitzero"`
	Comment    api.Optional[string]          `json:"comment,omitzero"`
	Config     json.RawMessage               `json:"feedback_config,omitzero"`
}

func patch(c *rest.Call, row store.Feedback, changes changes) (rest.Answer, error) {
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
	return create(c, said)
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
	return row, rest.OrMissing(err, "Feedback not found")
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

// configRequest creates or changes a configuration.
type configRequest struct {
	Key              string          `json:"feedback_key"`
	Config           json.RawMessage `json:"feedback_config,omitzero"`
	LowerBetter      *bool           `json:"is_lower_score_better,omitzero"`
	Enforced         *bool           `json:"is_enforced,omitzero"`
	AddCategories    []category      `json:"add_categories,omitzero"`
	RemoveCategories []category      `json:"remove_categories,omitzero"`
}

// read refuses a configuration that would have to refuse feedback.
func (r configRequest) read() (*scale, error) {
	if r.Enforced != nil && *r.Enforced {
		return nil, form.Problem(form.Body("is_enforced"), "value_error", "Value error, this server accepts feedback whether it fits its configuration or not")
	}
	return readConfig(r.Config)
}

// createConfig returns an identical existing configuration, and refuses a conflicting one.
func createConfig(c *rest.Call, request configRequest) (rest.Answer, error) {
	config, err := request.read()
	if err == nil && config == nil {
		err = form.Problem(form.Body("feedback_config"), "missing", "Field required")
	}
	if err != nil {
		return rest.Answer{}, err
	}
	row := store.FeedbackConfig{WorkspaceID: c.WorkspaceID, Key: request.Key, LowerBetter: request.LowerBetter, ModifiedAt: c.Now}
	row, err = ensureConfig(c.Tx, row, config, nil, cmp.Or(request.LowerBetter, new(false))) // Clients send false by default.
	return rest.OK(configAnswer(row)), err
}

// patchConfig changes the given fields.
func patchConfig(c *rest.Call, request configRequest) (rest.Answer, error) {
	config, err := request.read()
	if err != nil {
		return rest.Answer{}, err
	}
	row, err := c.Tx.FeedbackConfig(c.WorkspaceID, request.Key)
	if err != nil {
		return rest.Answer{}, rest.OrMissing(err, noConfig, request.Key)
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
	return rest.OK(configAnswer(row)), c.Tx.SaveFeedbackConfig(row)
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
	return rest.OK(map[string]string{"message": "Feedback config deleted"}), rest.OrMissing(err, noConfig, key)
}

const noConfig = "Feedback config for key '%s' not found"

// createTokens creates one, or a list.
func createTokens(c *rest.Call) (rest.Answer, error) {
	body := []api.LocStep{api.Key("body")}
	if !bytes.HasPrefix(bytes.TrimSpace(c.Body), []byte("[")) {
		request, err := rest.DecodeBody[tokenRequest](c)
		if err != nil {
			return rest.Answer{}, err
		}
		created, err := createToken(c, request, body)
		return rest.OK(created), err
	}
	requests, err := rest.DecodeBody[[]tokenRequest](c)
	if err != nil {
		return rest.Answer{}, err
	}
	if len(requests) > limits.FeedbackTokens {
		return rest.Answer{}, form.Problem(form.Body(), "too_long", "List should have at most %d items after validation, not %d", limits.FeedbackTokens, len(requests))
	}
	all := make([]map[string]string, len(requests))
	for i, request := range requests {
		if all[i], err = createToken(c, request, form.Loc(body, i)); err != nil {
			return rest.Answer{}, err
		}
	}
	return rest.OK(all), nil
}

func createToken(c *rest.Call, request tokenRequest, at []api.LocStep) (map[string]string, error) {
	row, err := request.row(c.WorkspaceID, c.Now, at)
	if err != nil {
		return nil, err
	}
	if err := c.Tx.DropFeedbackTokens(c.Now); err != nil {
		return nil, err
	}
	row, err = grant(c.Tx, row, request.Config, c.Now)
	return tokenAnswer(c, row), err
}

func tokenAnswer(c *rest.Call, f store.FeedbackToken) map[string]string {
	return map[string]string{
		"id": f.Token, "url": rest.BaseURL(c.Request) + "/api/v1/feedback/tokens/" + f.Token, "expires_at": form.DateTime(f.ExpiresAt), "feedback_key": f.Key,
	}
}

// listTokens returns the valid tokens of a run, as a bare array.
func listTokens(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	runID := p.ID("run_id")
	if runID == nil {
		p.Add("run_id", "missing", "Field required")
	}
	page := store.Page{Limit: p.Integer("limit", limits.Page, 1, limits.Page), Offset: p.Integer("offset", 0, 0, 0)}
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.FeedbackTokens(c.WorkspaceID, *runID, c.Now, page)
	return rest.OK(form.Collect(rows, func(f store.FeedbackToken) map[string]string { return tokenAnswer(c, f) })), err
}

// tokenBody is feedback that is given with a token.
type tokenBody struct {
	content
	Metadata json.RawMessage `json:"metadata,omitzero"`
}

// giveByToken stores the feedback in the body.
func giveByToken(c *rest.Call, said tokenBody) (rest.Answer, error) {
	return given(c, Body{content: said.content, Source: &Source{Type: "api", Metadata: said.Metadata}})
}

// giveByLink stores the feedback in the query, as of a link in a mail.
func giveByLink(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	said := Body{content: content{Comment: p.Text("comment"), Value: quoted(p.Text("value")), Correction: quoted(p.Text("correction"))}}
	if score := p.Text("score"); score != nil && *score != "" {
		said.Score = json.RawMessage(strings.ToLower(*score)) // True is the same as true.
		if _, problem := readScore(said.Score); problem != "" {
			p.Add("score", "float_type", problem)
		}
	}
	p.Ignore("extend_trace_retention")
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	return given(c, said)
}

// quoted is a text as JSON; nil for none.
func quoted(text *string) json.RawMessage {
	if text == nil {
		return nil
	}
	encoded, _ := json.Marshal(*text) // A text can always be encoded.
	return encoded
}

func given(c *rest.Call, said Body) (rest.Answer, error) {
	if n := len(c.Body) + len(c.Request.URL.RawQuery); n > limits.TokenFeedback {
		return rest.Answer{}, form.Refuse(form.TooLarge, "The feedback has %d bytes, but the limit is %d.", n, limits.TokenFeedback)
	}
	err := give(c.Tx, strings.ToLower(c.Request.PathValue("feedback_token")), said, c.Now)
	return rest.OK(map[string]string{"message": "Feedback created"}), err
}
