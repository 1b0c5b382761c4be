package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// ListenersView is the list of listeners.
type ListenersView struct {
	Frame
	Listeners []Listener
	Paging    Paging
	// HCL is the configuration that manages these listeners with Terraform.
	HCL string
}

// Listener deploys into a cluster. Empty texts are omitted.
type Listener struct {
	ID, ComputeType, ComputeID, Version string
	Namespaces                          []string
	// Deployments that use it.
	Deployments          []ListenerUser
	CreatedAt, UpdatedAt time.Time
}

// ListenerUser is a deployment that a listener rolls out, in a namespace.
type ListenerUser struct{ ID, Name, Namespace string }

// UsersShown returns the deployments for which a page has space.
func (l Listener) UsersShown() []ListenerUser {
	return l.Deployments[:min(len(l.Deployments), maxUsers)]
}

// UsersOmitted returns the number of others.
func (l Listener) UsersOmitted() int { return len(l.Deployments) - len(l.UsersShown()) }

// maxUsers is the number of a listener's deployments that are shown.
const maxUsers = 20

// IntegrationsView is the list of Git hosting integrations.
type IntegrationsView struct {
	Frame
	Integrations []Integration
}

// Integration is an account at a git host.
type Integration struct {
	ID, Name       string
	InstallationID int64
	Repositories   []Repository
}

// Repository is one that an integration has access to. Its URL becomes a link if it is an HTTP URL.
type Repository struct {
	Owner, Name, URL, DefaultBranch string
}

// RequestsView contains the logged requests and the armed faults.
type RequestsView struct {
	Frame
	// DevAPI is true if the server serves /dev. If it doesn't, the page says how to enable it.
	DevAPI bool
	// Filter selects the requests.
	Filter RequestFilter
	// Requests are newest first.
	Requests []Request
	Paging   Paging
	// Faults are the armed ones, in the order in which they are used up.
	Faults []Fault
}

// Request is a logged request.
type Request struct {
	ID, Method, Path, Query string
	// Sent is the path as it was sent, for the command that repeats the request.
	Sent string
	// Status is the HTTP status; zero if the connection was closed without a response.
	Status int
	// Body and Answer, that of the response, are JSON with redacted secrets; nil is not shown.
	Body, Answer json.RawMessage
	// Fault says that a fault caused the response, or its absence.
	Fault bool
	// Made says that it made the revision of a page.
	Made bool
	Time time.Time
	Took *time.Duration
	// Service is "control plane" or "tracing".
	Service string
}

// AnswerFilter contains values of a form above requests: a part of the method and the path, and one of Outcomes.
type AnswerFilter struct {
	Search, Outcome string
	Outcomes        []string
}

// Set reports whether any filter is set.
func (f AnswerFilter) Set() bool { return f.Search != "" || f.Outcome != "" }

// RequestFilter is an AnswerFilter with one of Services.
type RequestFilter struct {
	AnswerFilter

	Service  string
	Services []string
}

// Set reports whether any filter is set.
func (f RequestFilter) Set() bool { return f.AnswerFilter.Set() || f.Service != "" }

// Curl returns the request as a command, with the key from the environment.
func (r Request) Curl(origin string) string {
	var b strings.Builder
	b.WriteString(`curl -H "X-Api-Key: $AGENTPLANE_API_KEY"`)
	if r.Method != http.MethodGet {
		b.WriteString(" -X " + shellQuote(r.Method))
	}
	address := origin + r.Sent
	if r.Query != "" {
		address += "?" + r.Query
	}
	b.WriteString(" " + shellQuote(address))
	if len(r.Body) > 0 && len(r.Body) <= maxCurlBody {
		b.WriteString(" -H 'Content-Type: application/json' -d " + shellQuote(string(r.Body)))
	}
	return b.String()
}

// maxCurlBody is the maximum size of a body in a command.
const maxCurlBody = 4 << 10

// shellQuote returns a text as one word of a shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Fault is a simulated failure. Match is the pattern of its requests; empty hits every request.
type Fault struct {
	Match string
	// Rollout says that it hits a revision.
	Rollout bool
	// Times is the number of requests or revisions it still hits, Skip the number that pass before.
	Times, Skip int64
	// Definition is all of it, as clients arm it.
	Definition json.RawMessage
}

// PricesView is the list of the prices of models.
type PricesView struct {
	Frame
	Prices []Price
	// DefaultSource says where the prices of other models are from; empty if they have none.
	DefaultSource string
	// HCL is the configuration that manages these prices with Terraform.
	HCL string
}

// Price is the price of tokens of models whose names match a pattern, in US dollars per million tokens.
type Price struct {
	ID, Name, Pattern, Provider string
	Prompt, Completion          string
	// Details are the prices of kinds of tokens.
	Details []Setting
	Since   time.Time
}

// SpaceView is what takes how much in the database, in bytes.
type SpaceView struct {
	Frame
	Taken int64
	Limit int64 // Zero means none.
	// FileSize is that of the whole database, and Free what of it is free.
	FileSize, Free int64
	Projects       []ProjectSpace
}

// ProjectSpace is what a project takes.
type ProjectSpace struct {
	ID, Name                               string
	Runs                                   int64
	Rows, Bodies, Labels, Attachments, All int64
}

// WorkspacesView is the selection of a workspace, for a key with several.
type WorkspacesView struct {
	Frame
	Workspaces []Workspace
}

// Workspace is one of the workspaces.
type Workspace struct{ ID, URL string }
