package feedback

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// tokenEndpoints let people who have no key give feedback, by a link.
func tokenEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/feedback/tokens", Confidential: true, Methods: rest.Methods{http.MethodGet: listTokens, http.MethodPost: createTokens}},
		{Path: "/feedback/tokens/{feedback_token}", Public: true, Writes: true, Methods: rest.Methods{http.MethodGet: giveByLink, http.MethodPost: rest.WithBody(giveByToken)}},
	}
}

// createTokens creates one, or a list.
func createTokens(c *rest.Call) (rest.Answer, error) {
	body := []api.LocStep{api.Key("body")}
	if !bytes.HasPrefix(bytes.TrimSpace(c.Body), []byte("[")) {
		request, err := rest.DecodeTolerant[tokenRequest](c)
		if err != nil {
			return rest.Answer{}, err
		}
		created, err := createToken(c, request, body)
		return rest.OK(created), err
	}
	requests, err := rest.DecodeTolerant[[]tokenRequest](c)
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
	Score      json.RawMessage `json:"score,omitzero"`
	Value      json.RawMessage `json:"value,omitzero"`
	Correction json.RawMessage `json:"correction,omitzero"`
	Comment    *string         `json:"comment,omitzero"`
	Metadata   json.RawMessage `json:"metadata,omitzero"`
	Retention  json.RawMessage `json:"extend_trace_retention,omitzero"` // Without effect.
}

// giveByToken stores the feedback in the body.
func giveByToken(c *rest.Call, said tokenBody) (rest.Answer, error) {
	return given(c, Body{
		Score: said.Score, Value: said.Value, Correction: said.Correction, Comment: said.Comment,
		Source: &Source{Type: "api", Metadata: said.Metadata},
	})
}

// giveByLink stores the feedback in the query, as of a link in a mail.
func giveByLink(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	said := Body{Comment: p.Text("comment"), Value: quoted(p.Text("value")), Correction: quoted(p.Text("correction"))}
	if score := p.Text("score"); score != nil && *score != "" {
		said.Score = json.RawMessage(strings.ToLower(*score)) // True is the same as true.
		if _, err := readScore(said.Score); err != nil {
			p.Add("score", "float_type", err.Error())
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
