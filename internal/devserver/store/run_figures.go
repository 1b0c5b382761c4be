package store

import "time"

// RunFigures is what statistics need of a run.
type RunFigures struct {
	ID, TraceID    string
	ParentRunID    *string
	Name, RunType  string
	StartTime      time.Time
	EndTime        *time.Time
	FirstTokenTime *time.Time
	Failed         bool

	PromptTokens, CompletionTokens, TotalTokens int64
	PromptCost, CompletionCost, TotalCost       *string // US dollars, as exact decimals.
	Figures                                     string  // A JSON object.
}

const figureColumns = `r.id, r.trace_id, r.parent_run_id, r.name, r.run_type, r.start_time, r.end_time, r.first_token_time,
	r.error IS NOT NULL, r.prompt_tokens, r.completion_tokens, r.total_tokens, r.prompt_cost, r.completion_cost, r.total_cost, r.figures`

func scanFigures(row scanner) (RunFigures, error) {
	var f RunFigures
	err := row.Scan(&f.ID, &f.TraceID, &f.ParentRunID, &f.Name, &f.RunType, timeColumn{&f.StartTime}, nullableTimeColumn{&f.EndTime},
		nullableTimeColumn{&f.FirstTokenTime}, &f.Failed, &f.PromptTokens, &f.CompletionTokens, &f.TotalTokens, &f.PromptCost,
		&f.CompletionCost, &f.TotalCost, &f.Figures)
	return f, err
}

// EachFigures calls visit with the figures of every run that matches, in no order, until visit fails.
func (t *Tx) EachFigures(f RunFilter, visit func(RunFigures) error) error {
	where, args := f.conditions()
	return each(t, scanFigures, visit, "SELECT "+figureColumns+" FROM runs r WHERE "+where, args...)
}

// EachFiguresOfTraces is EachFigures for all runs of the traces of the runs that match.
func (t *Tx) EachFiguresOfTraces(f RunFilter, visit func(RunFigures) error) error {
	where, args := f.conditions()
	return each(t, scanFigures, visit, "SELECT "+figureColumns+` FROM runs r WHERE r.workspace_id = ? AND r.trace_id IN
		(SELECT r.trace_id FROM runs r WHERE `+where+")", append([]any{f.WorkspaceID}, args...)...)
}
