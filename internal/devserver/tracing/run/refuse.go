package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// prefixes begin the texts that refuse runs.
var prefixes = map[form.Kind]string{
	form.BadRequest:    "Bad request",
	form.Unprocessable: "Unprocessable entity",
}

// refuseRun names a run and its problems.
func refuseRun(kind form.Kind, id string, problems []string) error {
	text := prefixes[kind] + ": " + strings.Join(problems, "; ")
	if !strings.Contains(text, id) {
		text += " for run_id:" + id
	}
	return &ingest.Error{Kind: kind, Problem: text}
}

// Space returns what a workspace takes in the database, in bytes, and the limit beyond which its runs are refused; zero means none.
func (s *Service) Space(tx *store.Tx, workspaceID string) (taken, limit int64, err error) {
	taken, err = tx.Occupied(workspaceID)
	return taken, s.MaxBytes, err
}

// checkSpace refuses whatever logs runs in a workspace that takes as much as it may. Clients drop what is refused as
// forbidden: they would send anything else again, and keep it in memory until then.
func (s *Service) checkSpace(ctx context.Context, workspaceID string) error {
	if s.MaxBytes <= 0 {
		return nil
	}
	taken, err := s.store.Occupied(ctx, workspaceID)
	if err != nil || taken < s.MaxBytes {
		return err
	}
	return &ingest.Error{Kind: form.Forbidden, Problem: fmt.Sprintf("Forbidden: the workspace takes %d bytes, "+
		"and the limit of this server is %d (-max-bytes): delete tracing projects that are no longer needed", taken, s.MaxBytes)}
}
