package rest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// redacted stands where a secret value was.
const redacted = "***"

// Request is an entry of the log. Headers are not kept because they carry keys.
type Request struct {
	ID     string `json:"request_id"`
	Method string `json:"method"`
	// Path is without /api-host.
	Path  string `json:"path"`
	Query string `json:"query"`
	// Body is nil when there was none, when it is not JSON and when it is large. Values of secrets are replaced.
	Body json.RawMessage `json:"body"`
	// Status is zero when the connection was closed without an answer.
	Status      int    `json:"status"`
	WorkspaceID string `json:"workspace_id"`
	// Fault says that the answer, or that there was none, is the doing of an armed fault.
	Fault bool `json:"fault,omitzero"`
	// Time is when it came, and Took how long it took to answer it. Tracing says that it was for the tracing service.
	Time    time.Time     `json:"-"`
	Took    time.Duration `json:"-"`
	Tracing bool          `json:"-"`
}

// RequestLog has the latest requests.
type RequestLog struct {
	mu      sync.Mutex
	entries []Request
}

func (q *RequestLog) add(r Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.entries) == limits.LoggedRequests {
		q.entries = slices.Delete(q.entries, 0, limits.LoggedRequests/10)
	}
	q.entries = append(q.entries, r)
}

// List lists the requests of all workspaces, oldest first.
func (q *RequestLog) List() []Request {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.entries)
}

// Of lists the requests to a workspace, oldest first.
func (q *RequestLog) Of(workspaceID string) []Request {
	return slices.DeleteFunc(q.List(), func(r Request) bool { return r.WorkspaceID != workspaceID })
}

// redact is the body without the values of secrets, or nil when it can't be told where those are.
func redact(body []byte) json.RawMessage {
	if len(body) > limits.LoggedBody {
		return nil
	}
	value, err := Parse(body)
	if err != nil {
		return nil
	}
	object, is := value.(map[string]any)
	if !is {
		return nil
	}
	for key, member := range object {
		// A misspelt key is ignored by the service, but it may carry secrets all the same.
		switch lower := strings.ToLower(key); {
		case member == nil:
		case key == "secret_references": // They say where a value is, not what it is.
		case lower == "secrets":
			object[key] = redactSecrets(member)
		case strings.Contains(lower, "secret"): // The client_secret of an OAuth provider.
			object[key] = redacted
		case carriesCredential(key):
			object[key] = redacted
		}
	}
	clean, err := encode(object, api.Neutral)
	if err != nil {
		return nil
	}
	return clean
}

// carriesCredential says that a member, or a parameter, has a token or what can be turned into one, however it is spelt.
func carriesCredential(name string) bool {
	switch name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name)); name {
	case "token", "sharetoken", "code", "state", "codeverifier":
		return true
	}
	return strings.HasSuffix(name, "accesstoken") || strings.HasSuffix(name, "refreshtoken")
}

// redactPath is the path of a request without the token that it reads what is shared by.
func redactPath(r *http.Request) string {
	token := r.PathValue("share_token")
	if token == "" {
		return r.URL.Path
	}
	return strings.ReplaceAll(r.URL.Path, token, redacted) // One client has it in its query too, which it glues to the path.
}

// redactQuery is a query without what ends an OAuth flow.
func redactQuery(raw string) string {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return "" // Nobody can tell where in it what is.
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
		return raw
	}
	return query.Encode()
}

func redactSecrets(member any) any {
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
			if key != "name" {
				secret[key] = redacted
			}
		}
	}
	return list
}
