package run

import (
	"errors"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
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
