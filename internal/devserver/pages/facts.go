package pages

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// ControlPlane is what pages ask of the control plane besides what is stored.
type ControlPlane interface {
	// Deployment reads a deployment.
	Deployment(c *rest.Call, id string) (store.Deployment, error)
	// Response is a deployment as the API answers it.
	Response(c *rest.Call, row store.Deployment) (api.Deployment, error)
	// History lists the states that a revision has reached, oldest first.
	History(row store.Revision, now time.Time) ([]Stage, error)
	// Log is what the builder or the runtime has written about a revision.
	Log(row store.Revision, now time.Time, kind api.LogType) ([]api.LogEntry, error)
	// Artifact names what a revision is made of.
	Artifact(row store.Revision) string
}

// Stage is a state of a revision, when it began and whether it is final.
type Stage struct {
	Status   api.RevisionStatus
	Since    time.Time
	Message  string
	Finished bool
}

// Tracing is what pages ask of the tracing service besides what is stored.
type Tracing interface {
	// Project reads a project.
	Project(c *rest.Call, id string) (store.Project, error)
	// Run reads a run.
	Run(c *rest.Call, id string) (store.Run, error)
	// Said is all that clients have said of a run.
	Said(c *rest.Call, id string) (map[string]json.RawMessage, error)
	// RunPage reads a page of runs, and where the next one begins; that is empty after the last run.
	RunPage(c *rest.Call, f store.RunFilter, ascending bool, cursor string, limit int) ([]store.Run, string, error)
	// SortedRuns is a page of runs by one of Sorts.
	SortedRuns(c *rest.Call, f store.RunFilter, by string, ascending bool, page store.Page) ([]store.Run, error)
	// Named are the newest runs with a name, of those that match.
	Named(c *rest.Call, f store.RunFilter, name string, limit int) ([]store.Run, error)
	// Sorts are the fields that lists can be sorted by besides the start.
	Sorts() []string
	// Narrow adds a search to a filter: one in the language of filters, or words that all have to be in a run.
	Narrow(f *store.RunFilter, text string) error
	// Facets are what the newest runs that match have in common.
	Facets(c *rest.Call, f store.RunFilter, newest int) ([]Facet, error)
	// RunTypes are those that there are.
	RunTypes() []string
	// Summarize is Rollup with the models that runs, or those below them, have called: by id, the first called first.
	Summarize(c *rest.Call, rows []store.Run) (map[uuid.UUID]usage.Totals, map[string][]string, error)
	// Rollup adds up the figures of runs and of all that is below them, by id.
	Rollup(c *rest.Call, rows []store.Run) (map[uuid.UUID]usage.Totals, error)
	// OwnTotals are the figures of a run alone.
	OwnTotals(row store.Run) (usage.Totals, error)
	// Figures are those of a project from a time on and before another, in all and in steps.
	Figures(c *rest.Call, projectID string, from, to time.Time, step time.Duration) (all Figures, steps []Figures, _ error)
	// Groupings are what FiguresBy groups by.
	Groupings() []string
	// FiguresBy is Figures of the groups with the most runs.
	FiguresBy(c *rest.Call, projectID, by string, from, to time.Time, step time.Duration, most int) ([]FiguresGroup, error)
}

// Facet is something that runs have in common, with a filter that finds them.
type Facet struct {
	Key, Value, Filter string
	Count              int
	// Below says that it is of runs below the root runs that were asked for, and counts these.
	Below bool
}

// FiguresGroup are the figures of runs that have something in common, in all and in steps.
type FiguresGroup struct {
	Name  string
	All   Figures
	Steps []Figures
}

// Figures are the figures of the traces that began in a project within a span of time.
type Figures struct {
	Runs, Errors                                         int
	Sum                                                  usage.Totals
	LatencyP50, LatencyP99, FirstTokenP50, FirstTokenP99 *float64  // Seconds; nil when no run has any.
	LastStart                                            time.Time // Zero without any runs.
}

// Auth is what pages ask of the Auth service besides what is stored.
type Auth interface {
	// Connect begins a login of the caller at an OAuth provider, and returns the address at which it goes on.
	Connect(c *rest.Call, providerID string, scopes []string) (address string, err error)
}
