package run

import (
	"errors"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/price"
)

// Reader reads what is kept of runs.
type Reader interface {
	figure.Reader
	figure.TraceReader
	feedback.Reader
	Run(workspaceID, id string) (store.Run, error)
	Runs(f store.RunFilter, ascending bool, after *store.RunCursor, limit int) ([]store.Run, error)
	RunBody(workspaceID, id string) (store.RunBody, error)
	BodyOf(r store.Run) (store.RunBody, error)
	RunShare(workspaceID, runID string) (store.RunShare, error)
	Attachments(workspaceID string, runIDs ...string) ([]store.Attachment, error)
}

// Writer stores runs, and reads what they depend on.
type Writer interface {
	feedback.Store
	price.Reader
	Run(workspaceID, id string) (store.Run, error)
	StoredRun(workspaceID, id string) (store.Run, store.RunBody, error)
	SaveRun(r store.Run, body store.RunBody, labels []store.Label) error
	Orphans(workspaceID, parentID string, after int64, limit int) ([]store.Run, error)
	Labelled(workspaceID string, label, other store.Label, after int64, limit int) ([]store.Run, error)
	TraceDepth(workspaceID, rootID string) (int, error)
	MoveTrace(from, to store.Run) (later bool, err error)
	PlaceLater(u store.Unplaced) error
	Placed(u store.Unplaced, through int64, all bool) error
	ProjectNamed(workspaceID, name string) (store.Project, error)
	EnsureProject(p store.Project) error
	GiveAttachment(id, runID, name, mimeType string, size int64) error
}

// View is what a request sees: the runs of its workspace, in one transaction.
type View struct {
	Tx          Reader
	WorkspaceID string
	// Base is the URL at which the client reaches this server.
	Base string
}

// Read reads a run.
func Read(tx *store.Tx, workspaceID, id string) (store.Run, error) {
	row, err := tx.Run(workspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, NotFound()
	}
	return row, err
}

// NotFound has the service's wording.
func NotFound() *form.Error { return form.Missing("Run not found") }
