package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// redacted replaces secret values.
const redacted = "***"

// Request is a log entry. Headers are not kept because they contain keys.
type Request struct {
	ID     string `json:"request_id"`
	Method string `json:"method"`
	// Path is the path without /api-host.
	Path  string `json:"path"`
	Query string `json:"query"`
	// Body is nil if there was none, if it is not JSON, or if it is large. Values of secrets are redacted.
	Body json.RawMessage `json:"body"`
	// Status is zero if the connection was closed without a response.
	Status      int    `json:"status"`
	WorkspaceID string `json:"workspace_id"`
	// Fault reports whether an armed fault caused or changed the response, or its absence.
	Fault bool `json:"fault,omitzero"`
	// Time is when the request arrived, and Took how long it took to answer. Tracing reports whether it was for the tracing
	// service.
	Time    time.Time     `json:"-"`
	Took    time.Duration `json:"-"`
	Tracing bool          `json:"-"`
	// Sent is the path as it was sent, percent-encoded.
	Sent string `json:"-"`
	// Answer is the body of a response that endpoints with LogsAnswers gave; nil as for Body.
	Answer json.RawMessage `json:"-"`
}

// RequestLog keeps the latest requests of workspaces. Of requests that belong to none, such as those without a valid key, it keeps only the
// number.
type RequestLog struct {
	// Shared has them if several servers share the data; nil if they are in memory.
	Shared *store.Store

	mu        sync.Mutex
	entries   []Request
	elsewhere int64
}

func (q *RequestLog) add(ctx context.Context, r Request) error {
	if q.Shared != nil {
		text, err := json.Marshal(sharedRequest{r, r.Time, r.Took, r.Tracing, r.Sent, r.Answer})
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sharedTime)
		defer cancel()
		return q.Shared.LogRequest(ctx, r.WorkspaceID, string(text), limits.LoggedRequests)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.WorkspaceID == "" {
		q.elsewhere++
		return nil
	}
	if len(q.entries) == limits.LoggedRequests {
		q.entries = slices.Delete(q.entries, 0, limits.LoggedRequests/10)
	}
	q.entries = append(q.entries, r)
	return nil
}

// sharedRequest is a request in shared data: JSON with all fields.
type sharedRequest struct {
	Request

	Time    time.Time       `json:"time"`
	Took    time.Duration   `json:"took"`
	Tracing bool            `json:"tracing"`
	Sent    string          `json:"sent"`
	Answer  json.RawMessage `json:"answer,omitempty"`
}

// Of lists the requests of a workspace, or of all if the ID is empty, oldest first.
func (q *RequestLog) Of(tx *store.Tx, workspaceID string) ([]Request, error) {
	if q.Shared == nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		return slices.DeleteFunc(slices.Clone(q.entries), func(r Request) bool { return workspaceID != "" && r.WorkspaceID != workspaceID }), nil
	}
	rows, err := tx.LoggedRequests(workspaceID)
	if err != nil {
		return nil, err
	}
	all := make([]Request, len(rows))
	for i, row := range rows {
		var r sharedRequest
		if err := json.Unmarshal([]byte(row), &r); err != nil {
			return nil, err
		}
		all[i] = r.Request
		all[i].Time, all[i].Took, all[i].Tracing, all[i].Sent, all[i].Answer = r.Time, r.Took, r.Tracing, r.Sent, r.Answer
		if string(r.Body) == "null" {
			all[i].Body = nil
		}
	}
	return all, nil
}

// WithoutWorkspace returns the number of requests that belong to no workspace.
func (q *RequestLog) WithoutWorkspace(tx *store.Tx) (int64, error) {
	if q.Shared != nil {
		return tx.StrayRequests()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.elsewhere, nil
}

// Logged returns what logs contain of a text from a request. It is a copy, because a part of a request's first line keeps all of it in
// memory.
func Logged(text string) string { return strings.Clone(text[:min(len(text), limits.LoggedLine)]) }

// redact returns the body of a request without the values of secrets, or nil if it isn't an object, in which they can be found. In traced
// data, which has any names, only the members of the request itself are looked at.
func redact(body []byte, traced bool) json.RawMessage {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return nil
	}
	return redactJSON(body, !traced)
}

// redactJSON returns JSON without the values of secrets: those of an object, or nested at any depth.
func redactJSON(body []byte, nested bool) json.RawMessage {
	if len(body) > limits.LoggedBody {
		return nil
	}
	value, err := form.Parse(body)
	if err != nil {
		return nil
	}
	redactMembers(value, nested, false)
	clean, err := encode(value, api.Neutral)
	if err != nil {
		return nil
	}
	return clean.joined()
}

// redactMembers redacts the members of an object that are secrets, and with nested also those within other values. Containers and volumes of
// a resource spec refer to secrets of the cluster by names, so that only environment variables have secrets there.
func redactMembers(value any, nested, inSpec bool) {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			// The service ignores a misspelt key, but the value may still be a secret.
			switch lower := strings.ToLower(key); {
			case member == nil:
			case nested && lower == "env": // Of a container.
				v[key] = redactSecrets(member, "name", "valueFrom")
			case inSpec:
				redactMembers(member, nested, inSpec)
			case key == "secret_references": // These refer to a value, but don't contain it.
				v[key] = redactSecrets(member, "name", "secret_name", "secret_key")
			case strings.HasSuffix(lower, "secrets"):
				v[key] = redactSecrets(member, "name")
			case strings.Contains(lower, "secret"), carriesCredential(key): // Such as the client_secret of an OAuth provider.
				v[key] = redacted
			case nested:
				redactMembers(member, nested, key == "resource_spec")
			}
		}
	case []any:
		for _, element := range v {
			redactMembers(element, nested, inSpec)
		}
	}
}

// carriesCredential reports whether a member or a parameter contains a token or something that can be exchanged for one,
// however it is spelt.
func carriesCredential(name string) bool {
	switch name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name)); name {
	case "token", "sharetoken", "code", "state", "codeverifier":
		return true
	}
	return strings.HasSuffix(name, "accesstoken") || strings.HasSuffix(name, "refreshtoken")
}

// tokenInPath finds what gives access without a key. Paths that aren't served may have it, too.
var tokenInPath = regexp.MustCompile(`/(?:public|feedback/tokens|attachments|install-links)/([^/]+)`)

// RedactedPath returns the path of a request, as in logs, without the token that gives access to it.
func RedactedPath(path string) string {
	path = Logged(path)
	if token := tokenInPath.FindStringSubmatch(path); token != nil {
		return strings.ReplaceAll(path, token[1], redacted) // One client also appends it to the path as a query.
	}
	return path
}

// sentPath is RedactedPath for a path as it was sent.
func sentPath(address *url.URL) string {
	if path := RedactedPath(address.Path); path != Logged(address.Path) {
		return path
	}
	return Logged(address.EscapedPath())
}

// redactQuery returns a query, as in logs, without the parameters that complete an OAuth flow.
func redactQuery(raw string) string {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return "" // It can't be parsed, so secrets can't be located.
	}
	found := false
	for name, values := range query {
		if !carriesCredential(name) {
			continue
		}
		found = true
		for i := range values {
			values[i] = redacted
		}
	}
	if !found {
		return Logged(raw)
	}
	return Logged(query.Encode())
}

func redactSecrets(member any, kept ...string) any {
	list, is := member.([]any)
	if !is {
		return redacted
	}
	for i, element := range list {
		secret, is := element.(map[string]any)
		if !is {
			list[i] = redacted
			continue
		}
		for key := range secret {
			if !slices.Contains(kept, key) {
				secret[key] = redacted
			}
		}
	}
	return list
}
