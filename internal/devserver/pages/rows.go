package pages

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// What pages read from the store is listed here. They change nothing there but saved views.

// controlRows are those of the control plane.
type controlRows interface {
	Deployment(workspaceID, id string) (store.Deployment, error)
	Deployments(workspaceID string, f store.DeploymentFilter, p store.Page) ([]store.Deployment, error)
	DeploymentsOn(workspaceID, listenerID string) ([]store.Deployment, error)
	Revision(workspaceID, deploymentID, id string) (store.Revision, error)
	DeploymentNamed(workspaceID, name string) (store.Deployment, error)
	Revisions(workspaceID, deploymentID string, f store.RevisionFilter, p store.Page) ([]store.Revision, error)
	Listeners(workspaceID string, p store.Page) ([]store.Listener, error)
	Integrations(workspaceID string, forge bool) ([]store.Integration, error)
	Repositories(workspaceID, integrationID string) ([]store.Repository, error)
}

// authRows are those of the Auth service.
type authRows interface {
	OAuthProviders(workspaceID string) ([]store.OAuthProvider, error)
	OAuthTokens(workspaceID, userID string, providerID *string) ([]store.OAuthToken, error)
	AgentConnectionsBy(workspaceID, createdBy string, limit int) ([]store.AgentConnection, error)
}

// projectRows are those of tracing projects, and of what belongs to them or to the workspace.
type projectRows interface {
	Project(workspaceID, id string) (store.Project, error)
	ProjectNamed(workspaceID, name string) (store.Project, error)
	Projects(workspaceID string, f store.ProjectFilter) ([]store.Project, error)
	ModelPrice(workspaceID, id string) (store.ModelPrice, error)
	ModelPrices(workspaceID string) ([]store.ModelPrice, error)
	ProjectSpaces(workspaceID string) ([]store.ProjectSpace, error)
	FileSpace() (size, free int64, err error)
	SavedViews(workspaceID, projectID, userID string) ([]store.SavedView, error)
	SaveView(workspaceID, projectID, userID string, v store.SavedView) error
	DeleteView(workspaceID, projectID, userID, name string) error
	ListFeedback(workspaceID string, f store.FeedbackFilter, page store.Page) ([]store.Feedback, error)
	FeedbackConfigs(workspaceID string) ([]store.FeedbackConfig, error)
	Datasets(workspaceID string, f store.DatasetFilter) ([]store.Dataset, error)
	EachExample(f store.ExampleFilter, page store.Page, visit func(store.Example) error) error
}

// runRows are those of runs, traces and conversations.
type runRows interface {
	Runs(f store.RunFilter, ascending bool, after *store.RunCursor, limit int) ([]store.Run, error)
	RunPreviews(workspaceID string, ids []string, length int) ([]store.RunPreview, error)
	Threads(f store.RunFilter, after *store.Thread, limit, offset int) ([]store.Thread, error)
	ThreadRuns(f store.RunFilter, threadIDs []string) ([]store.Run, error)
	Attachments(workspaceID string, runIDs ...string) ([]store.Attachment, error)
	EachFeedback(f store.RunFilter, visit func(store.Feedback) error) error
	EachFailure(f store.RunFilter, limit int, visit func(message string) error) error
}

func control(c *rest.Call) controlRows  { return c.Tx }
func auth(c *rest.Call) authRows        { return c.Tx }
func projects(c *rest.Call) projectRows { return c.Tx }
func runs(c *rest.Call) runRows         { return c.Tx }

// logged are the requests of a workspace, and armed its faults.
func logged(c *rest.Call, s *rest.Server) ([]rest.Request, error) {
	return s.Requests.Of(c.Tx, c.WorkspaceID)
}
func armed(c *rest.Call, s *rest.Server) ([]rest.Fault, error) {
	return s.Faults.List(c.Tx, c.WorkspaceID)
}

// snapshot says what the rows of a call are as of.
func snapshot(c *rest.Call) int64 { return c.Tx.Snapshot() }
