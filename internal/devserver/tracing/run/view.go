package run

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// View is what a request sees: the runs of its workspace, in one transaction.
type View struct {
	Tx          *store.Tx
	WorkspaceID string
	// Base is the URL at which the client reaches this server.
	Base string
}

// Read reads a run.
func Read(tx *store.Tx, workspaceID, id string) (store.Run, error) {
	row, err := tx.Run(workspaceID, id)
	if store.Missing(&err) {
		err = NotFound()
	}
	return row, err
}

// NotFound has the service's wording.
func NotFound() *form.Error { return form.Missing("Run not found") }
