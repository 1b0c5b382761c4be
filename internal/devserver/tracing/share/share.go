package share

import (
	"cmp"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// Share returns the share of a run, which is new unless there is one. Its token is the wanted one, or random if that is nil.
func Share(tx *store.Tx, row store.Run, wanted *api.UUID) (store.RunShare, error) {
	share, err := tx.RunShare(row.WorkspaceID, row.ID)
	if err != nil || share.Token != "" {
		return share, err
	}
	share = store.RunShare{Token: form.NewID(wanted), WorkspaceID: row.WorkspaceID, RunID: row.ID}
	_, err = tx.SharedRun(share.Token)
	if err == nil {
		return share, form.Conflicting("The share token belongs to another run.")
	}
	if !store.Missing(&err) {
		return share, err
	}
	return share, tx.SaveRunShare(share)
}

// Run finds the run that is shared with a token.
func Run(tx *store.Tx, token string) (store.Run, error) {
	share, err := Find(tx, token)
	if err != nil {
		return store.Run{}, err
	}
	return run.Read(tx, share.WorkspaceID, share.RunID)
}

// Runs finds the runs to which a token gives access, and their workspace: the shared run, and all below it.
func Runs(tx *store.Tx, token string) (workspaceID string, rows []store.Run, _ error) {
	top, err := Run(tx, token)
	if err != nil {
		return "", nil, err
	}
	all, err := tx.TraceRuns(store.RunFilter{WorkspaceID: top.WorkspaceID, TraceID: top.TraceID})
	return top.WorkspaceID, slices.DeleteFunc(all, func(row store.Run) bool { return !row.IsBelow(top.ID) }), err
}

// Feedback finds the matching feedback on some runs, newest first.
func Feedback(tx *store.Tx, workspaceID string, rows []store.Run, f store.FeedbackFilter) ([]store.Feedback, error) {
	var all []store.Feedback
	for some := range slices.Chunk(rows, limits.ListedIDs) {
		f.RunIDs = form.Collect(some, func(row store.Run) string { return row.ID })
		found, err := tx.ListFeedback(workspaceID, f, store.Page{Limit: -1})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b store.Feedback) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Seq, a.Seq))
	})
	return all, nil
}
