package devserver

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// pagesControlPlane is what pages ask of the control plane besides what is stored.
type pagesControlPlane interface {
	// Deployment reads a deployment.
	Deployment(c *call, id string) (store.Deployment, error)
	// Shown is a deployment as the API answers it.
	Shown(c *call, row store.Deployment) (api.Deployment, error)
	// History lists the states that a revision has reached, oldest first.
	History(row store.Revision, now time.Time) ([]pagesStage, error)
	// Artifact names what a revision is made of.
	Artifact(row store.Revision) string
}

// pagesStage is a state of a revision, when it began and whether it is final.
type pagesStage struct {
	Status   api.RevisionStatus
	Since    time.Time
	Message  string
	Finished bool
}

// pagesTracing is what pages ask of the tracing service besides what is stored.
type pagesTracing interface {
	// Project reads a project.
	Project(c *call, id string) (store.Project, error)
	// Run reads a run.
	Run(c *call, id string) (store.Run, error)
	// Said is all that clients have said of a run.
	Said(c *call, id string) (map[string]json.RawMessage, error)
	// RunPage reads a page of runs, and where the next one begins; that is empty after the last run.
	RunPage(c *call, f store.RunFilter, ascending bool, cursor string, limit int) ([]store.Run, string, error)
	// RunTypes are those that there are.
	RunTypes() []string
	// Rollup adds up the figures of runs and of all that is below them, by id.
	Rollup(c *call, rows []store.Run) (map[uuid.UUID]usage.Totals, error)
	// OwnTotals are the figures of a run alone.
	OwnTotals(row store.Run) (usage.Totals, error)
	// Figures are those of a project from a time on and before another, in all and in steps.
	Figures(c *call, projectID string, from, to time.Time, step time.Duration) (all pagesFigures, steps []pagesFigures, _ error)
}

// pagesFigures are the figures of the traces that began in a project within a span of time.
type pagesFigures struct {
	Runs, Errors                                         int
	Sum                                                  usage.Totals
	LatencyP50, LatencyP99, FirstTokenP50, FirstTokenP99 *float64  // Seconds; nil when no run has any.
	LastStart                                            time.Time // Zero without any runs.
}
