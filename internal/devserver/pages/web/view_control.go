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
}

// Listener deploys into a cluster. Texts that are empty are left out.
type Listener struct {
	ID, ComputeType, ComputeID, Version string
	Namespaces                          []string
	// Deployments use it.
	Deployments          []ListenerUser
	CreatedAt, UpdatedAt time.Time
}

// ListenerUser is a deployment that a listener rolls out, in a namespace.
type ListenerUser struct{ ID, Name, Namespace string }

// UsersShown are the deployments that a page has room for.
func (l Listener) UsersShown() []ListenerUser {
	return l.Deployments[:min(len(l.Deployments), maxUsers)]
}

// UsersOmitted is how many others there are.
func (l Listener) UsersOmitted() int { return len(l.Deployments) - len(l.UsersShown()) }

// maxUsers is how many deployments of a listener are shown.
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

// Repository is one that an integration can reach. Its URL becomes a link when it is an https or http one.
type Repository struct {
	Owner, Name, URL, DefaultBranch string
}

// RequestsView is what the server has seen and what it is to get wrong.
type RequestsView struct {
	Frame
	// DevAPI says that the server serves /dev. Without it the page says how to start it that way.
	DevAPI bool
	// Filter narrows the requests down.
	Filter RequestFilter
	// Requests are newest first.
	Requests []Request
	Paging   Paging
	// Faults are the armed ones, in the order in which they are used up.
	Faults []Fault
}

// Request is a request that the server has seen.
type Request struct {
	ID, Method, Path, Query string
	// Status is the HTTP status; zero when the connection was closed without an answer.
	Status int
	// Body is JSON with secret values replaced; nil shows none.
	Body json.RawMessage
	// Fault says that the answer, or that there was none, is the doing of a fault.
	Fault bool
	Time  time.Time
	Took  *time.Duration
	// Service is "control plane" or "tracing".
	Service string
}

// RequestFilter is what the form above the requests says: a part of the method and the path, one of Services and one of Outcomes.
type RequestFilter struct {
	Search, Service, Outcome string
	Services, Outcomes       []string
}

// Set says that some requests aren't listed.
func (f RequestFilter) Set() bool { return f.Search != "" || f.Service != "" || f.Outcome != "" }

// Curl is the request as a command, which has the key from the environment.
func (r Request) Curl(origin string) string {
	var b strings.Builder
	b.WriteString(`curl -H "X-Api-Key: $AGENTPLANE_API_KEY"`)
	if r.Method != http.MethodGet {
		b.WriteString(" -X " + shellQuote(r.Method))
	}
	address := origin + r.Path
	if r.Query != "" {
		address += "?" + r.Query
	}
	b.WriteString(" " + shellQuote(address))
	if len(r.Body) > 0 && len(r.Body) <= maxCurlBody {
		b.WriteString(" -H 'Content-Type: application/json' -d " + shellQuote(string(r.Body)))
	}
	return b.String()
}

// maxCurlBody is how long a body may be that a command has in it.
const maxCurlBody = 4 << 10

// shellQuote is a text as one word of a shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Fault is something that goes wrong on purpose. Fields that are zero play no part.
type Fault struct {
	// Match is the pattern of requests; empty hits every request.
	Match string
	// Times is how many requests or revisions it still hits, Skip how many pass before.
	Times, Skip int64

	// Status is answered in place of the work, with Detail or with HTML, and with Retry-After, in seconds, unless it is nil.
	Status     int64
	Detail     string
	HTML       string
	RetryAfter *int64
	// Latency is waited first. Drop closes the connection after the work, DropBefore without it.
	Latency          time.Duration
	Drop, DropBefore bool

	// Rollout goes wrong for a revision; nil for a fault of requests.
	Rollout *RolloutFault
}

// RolloutFault is what goes wrong with a rollout.
type RolloutFault struct {
	State, Status, Message string
	Stall                  bool
}

// PricesView is the list of the prices of models.
type PricesView struct {
	Frame
	Prices []Price
}

// Price is what the tokens of models cost whose names match a pattern. Costs are US dollars for a million tokens.
type Price struct {
	ID, Name, Pattern, Provider string
	Prompt, Completion          string
	// Details are the prices of kinds of tokens.
	Details []Setting
	Since   time.Time
}

// WorkspacesView is the choice of a workspace, for a key of several.
type WorkspacesView struct {
	Frame
	Workspaces []Workspace
}

// Workspace is one to choose.
type Workspace struct{ ID, URL string }
