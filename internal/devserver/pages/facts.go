package pages

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/listprice"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// ControlPlane is what pages need from the control plane besides stored data.
type ControlPlane interface {
	// Deployment reads a deployment.
	Deployment(c *rest.Call, id string) (store.Deployment, error)
	// Response returns a deployment as in the API, and Listener a listener.
	Response(c *rest.Call, row store.Deployment) (api.Deployment, error)
	Listener(row store.Listener) api.Listener
	// History lists the states that a revision has reached, oldest first.
	History(row store.Revision, now time.Time) ([]Reached, error)
	// Log returns the build or deploy log of a revision.
	Log(row store.Revision, now time.Time, kind api.LogType) ([]api.LogEntry, error)
	// Artifact names what a revision is built from.
	Artifact(row store.Revision) string
	// Redeploy makes a revision like the one named by the path, and returns its ID.
	Redeploy(c *rest.Call) (revisionID string, err error)
}

// Reached is a state that a revision has reached, when, and whether it is final.
type Reached struct {
	Status   api.RevisionStatus
	Since    time.Time
	Finished bool
}

// Tracing is what pages need from the tracing service besides stored data.
type Tracing interface {
	// Project reads a project.
	Project(c *rest.Call, id string) (store.Project, error)
	// Dataset reads a dataset.
	Dataset(c *rest.Call, id string) (store.Dataset, error)
	// Run reads a run.
	Run(c *rest.Call, id string) (store.Run, error)
	// SharedIn returns the workspace of the run that is shared with a token.
	SharedIn(c *rest.Call, token string) (workspaceID string, err error)
	// Shared reads the run, of any workspace, that is shared with a token.
	Shared(c *rest.Call, token string) (store.Run, error)
	// Said returns everything that clients have logged about a run.
	Said(c *rest.Call, id string) (map[string]json.RawMessage, error)
	// RunPage reads a page of runs, and the cursor of the next one; it is empty after the last run.
	RunPage(c *rest.Call, f store.RunFilter, ascending bool, cursor string, limit int) ([]store.Run, string, error)
	// SortedRuns returns a page of runs, sorted by one of Sorts.
	SortedRuns(c *rest.Call, f store.RunFilter, by string, ascending bool, page store.Page) ([]store.Run, error)
	// Named returns the newest matching runs with a name.
	Named(c *rest.Call, f store.RunFilter, name string, limit int) ([]store.Run, error)
	// Sorts are the fields, besides the start time, by which lists can be sorted.
	Sorts() []string
	// Narrow adds a search to a filter: an expression of the filter language, or words that a run must all contain.
	Narrow(f *store.RunFilter, text string) error
	// NarrowTraces adds an expression that must hold for any run of a trace; none if the text is empty.
	NarrowTraces(f *store.RunFilter, text string) error
	// Facets returns common properties of the newest matching runs.
	Facets(c *rest.Call, f store.RunFilter, newest int) ([]figure.Facet, error)
	// UnreadSpans counts the matching runs of spans with content that isn't understood, and returns the search that finds them.
	UnreadSpans(c *rest.Call, f store.RunFilter) (spans int64, search string, _ error)
	// RunTypes lists the valid types.
	RunTypes() []string
	// DefaultPrices returns the prices of models without an entry in the price map; nil if there are none.
	DefaultPrices() *listprice.Book
	// Space returns what a workspace takes in the database, in bytes, and the limit beyond which its runs are refused; zero means none.
	Space(c *rest.Call) (taken, limit int64, err error)
	// Trace returns a trace, which the caller doesn't change; it has no runs if it doesn't exist.
	Trace(c *rest.Call, id string) (*figure.Trace, error)
	// TraceFigures is Trace without the runs themselves.
	TraceFigures(c *rest.Call, id string) (*figure.Trace, error)
	// Summarize adds up the figures of runs and of all runs below them, with the models that they have called: by ID, in order of their calls.
	Summarize(c *rest.Call, rows []store.Run) (map[uuid.UUID]usage.Totals, map[string][]string, error)
	// SumOfTraces adds up the figures of all runs in the traces of some runs.
	SumOfTraces(c *rest.Call, runIDs []string) (usage.Totals, error)
	// Summaries returns the figures of a project in a time range, in total and per step; the end is exclusive.
	Summaries(c *rest.Call, projectID string, from, to time.Time, step time.Duration) (all figure.Summary, steps []figure.Summary, _ error)
	// GroupSummaries is Summaries for the groups with the most runs, of one of figure.Groupings.
	GroupSummaries(c *rest.Call, projectID, by string, from, to time.Time, step time.Duration, most int) ([]figure.GroupSummary, error)
}

// Auth is what pages need from the Auth service besides stored data.
type Auth interface {
	// Connect starts a login of the caller at an OAuth provider, and returns the URL at which it continues.
	Connect(c *rest.Call, providerID string, scopes []string) (address string, mark *http.Cookie, err error)
}
