package run

import (
	"regexp"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/listprice"
)

// TestIncompleteCosts counts the calls whose cost isn't all that providers bill, with and without details, rolled up or not. Calls stored
// before this was known are counted apart until they are written again.
func TestIncompleteCosts(t *testing.T) {
	t.Parallel()
	db, service := open(t)
	service.Prices.Defaults = listprice.Bundled
	billed := func(more object) object {
		return call(object{"outputs": together(object{"usage_metadata": object{"input_tokens": 1000, "output_tokens": 100}}, more)})
	}
	interpreter := billed(object{"output": []any{object{"type": "code_interpreter_call"}}})
	calls := []object{call(), billed(object{"service_tier": "flex"}), interpreter, billed(object{"service_tier": "scale"}), call(object{"inputs": object{"model": "own"}})}
	for _, one := range calls {
		must(t, post(t, service.ingestRun, one))
	}
	selected := store.RunFilter{WorkspaceID: rest.DefaultWorkspaceID}
	check := func(what string, incomplete, unchecked int64) {
		t.Helper()
		for _, details := range []bool{false, true} {
			must(t, db.Read(t.Context(), func(tx *store.Tx) error {
				project, err := tx.ProjectNamed(rest.DefaultWorkspaceID, "p")
				if err != nil {
					return err
				}
				f := selected
				f.ProjectIDs = []string{project.ID}
				m, err := FiguresOf(tx, f, details)
				if err == nil && (m.Sum.IncompleteRuns != incomplete || m.Sum.UncheckedRuns != unchecked) {
					t.Errorf("%s, with details: %t: %d incomplete, %d unchecked; want %d, %d", what, details, m.Sum.IncompleteRuns, m.Sum.UncheckedRuns,
						incomplete, unchecked)
				}
				return err
			}))
		}
	}
	check("logged", 2, 0)
	rollAll(t, db)
	check("rolled up", 2, 0)
	known := regexp.MustCompile(`"cost_incomplete":\[.*?\],`)
	must(t, db.Do(t.Context(), func(tx *store.Tx) error {
		rows, err := tx.Runs(selected, true, nil, -1)
		for _, row := range rows {
			row.Figures = known.ReplaceAllString(row.Figures, "")
			body, err := tx.BodyOf(row)
			if err != nil {
				return err
			}
			if err := tx.SaveRun(row, body, nil); err != nil {
				return err
			}
		}
		return err
	}))
	check("stored before", 0, 4)
	rollAll(t, db)
	check("stored before, rolled up", 0, 4)
	for _, one := range calls[1:3] {
		must(t, post(t, service.ingestBatch, object{"patch": []any{object{"id": one["id"], "tags": []any{"later"}}}}))
	}
	check("written again", 1, 2)
}
