package dataset

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// Service keeps datasets and their examples.
type Service struct {
	store  *store.Store
	now    func() time.Time // Called inside transactions.
	runs   *run.Service     // Knows the limit of workspaces, which examples share.
	memory *limits.Memory
}

// New returns a service on a database, which shares the memory limit for bodies with other services.
func New(db *store.Store, now func() time.Time, runs *run.Service, memory *limits.Memory) *Service {
	return &Service{store: db, now: now, runs: runs, memory: memory}
}

// save stores examples of one dataset, unless the workspace takes as much as it may.
func (s *Service) save(tx *store.Tx, workspaceID, datasetID string, rows []store.Example, now time.Time) error {
	if _, err := Read(tx, workspaceID, datasetID); err != nil {
		return err
	}
	taken, limit, err := s.runs.Space(tx, workspaceID)
	if err != nil {
		return err
	}
	if limit > 0 && taken >= limit {
		return form.Refuse(form.Forbidden, "The workspace takes %d bytes, and the limit of this server is %d (-max-bytes): "+
			"delete datasets or tracing projects that are no longer needed.", taken, limit)
	}
	return tx.SaveExamples(workspaceID, rows, now)
}
