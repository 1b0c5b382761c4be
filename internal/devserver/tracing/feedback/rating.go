package feedback

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// Ratings are the aggregated feedback, by key.
type Ratings map[string]*Rating

// Rating is the aggregated feedback with one key.
type Rating struct {
	N                 int
	Scores            []float64
	Values            map[string]int // The count of each string value.
	errors            int
	comments, sources []string
	onThread          bool // Some of it is feedback on a conversation.
}

func (r Ratings) add(f store.Feedback) error {
	one := r[f.Key]
	if one == nil {
		one = &Rating{Values: map[string]int{}, comments: []string{}, sources: []string{}}
		r[f.Key] = one
	}
	body, err := Decode(f)
	if err != nil {
		return err
	}
	one.N++
	one.onThread = one.onThread || body.ThreadID != nil
	if body.Error != nil && *body.Error {
		one.errors++
	}
	if f.Score != nil {
		one.Scores = append(one.Scores, *f.Score)
	}
	if len(body.Value) > 0 && body.Value[0] == '"' {
		one.Values[*f.Value]++
	}
	if f.Comment != nil && len(one.comments) < limits.Comments {
		one.comments = append(one.comments, *f.Comment)
	}
	if !slices.Contains(one.sources, f.Source) {
		one.sources = append(one.sources, f.Source)
	}
	return nil
}

// stat returns the statistics that runs and projects have in common.
func (r *Rating) stat() map[string]any {
	s := map[string]any{"n": r.N, "avg": figure.Mean(r.Scores), "min": nil, "max": nil, "errors": r.errors, "values": r.Values}
	s["stdev"] = figure.Deviation(r.Scores) // Of a sample: null for fewer than two scores.
	if len(r.Scores) > 0 {
		s["min"], s["max"] = slices.Min(r.Scores), slices.Max(r.Scores)
	}
	return s
}

// OfRun returns the statistics of a run; nil without feedback.
func (r Ratings) OfRun() any { return r.quoted(false) }

// OfThread returns the statistics of a conversation, including feedback on the conversation itself; nil without feedback.
func (r Ratings) OfThread() any { return r.quoted(true) }

// quoted returns statistics with comments and sources.
func (r Ratings) quoted(thread bool) any {
	if len(r) == 0 {
		return nil
	}
	return r.encoded(func(one *Rating, stat map[string]any) {
		stat["comments"], stat["sources"], stat["contains_thread_feedback"] = one.comments, one.sources, thread && one.onThread
	})
}

// OfMany returns the statistics of several runs or projects; nil without feedback.
func (r Ratings) OfMany() json.RawMessage {
	if len(r) == 0 {
		return nil
	}
	return r.encoded(func(one *Rating, stat map[string]any) { stat["median"] = figure.Percentile(one.Scores, 0.5) })
}

// encoded returns statistics by key, to each of which describe adds some.
func (r Ratings) encoded(describe func(*Rating, map[string]any)) json.RawMessage {
	all := make(map[string]any, len(r))
	for key, one := range r {
		stat := one.stat()
		describe(one, stat)
		all[key] = stat
	}
	text, _ := json.Marshal(all) // Encoding numbers and strings never fails.
	return text
}

// Each calls visit with the feedback on some runs.
func Each(tx *store.Tx, workspaceID string, rows []store.Run, visit func(store.Feedback) error) error {
	for some := range slices.Chunk(rows, limits.ListedIDs) {
		f := store.RunFilter{WorkspaceID: workspaceID}
		for _, row := range some {
			f.IDs = append(f.IDs, row.ID)
		}
		if err := tx.EachFeedback(f, visit); err != nil {
			return err
		}
	}
	return nil
}

// byGroup are ratings of runs, or of groups of them.
type byGroup[K comparable] map[K]Ratings

func (all byGroup[K]) add(group K, one store.Feedback) error {
	if all[group] == nil {
		all[group] = Ratings{}
	}
	return all[group].add(one)
}

// ByRun returns the feedback on each of some runs, by run ID.
func ByRun(tx *store.Tx, workspaceID string, rows []store.Run) (map[string]Ratings, error) {
	all := byGroup[string]{}
	return all, Each(tx, workspaceID, rows, func(one store.Feedback) error { return all.add(*one.RunID, one) })
}

// OnRuns returns the feedback on some runs together.
func OnRuns(tx *store.Tx, workspaceID string, rows []store.Run) (Ratings, error) {
	all := Ratings{}
	return all, Each(tx, workspaceID, rows, all.add)
}

// ByGroup returns the feedback on the matching runs in each of the groups that they are in, by the IDs of runs.
func ByGroup[K comparable](tx *store.Tx, f store.RunFilter, groupsOf map[string][]K) (map[K]Ratings, error) {
	all := byGroup[K]{}
	return all, tx.EachFeedback(f, func(one store.Feedback) error {
		for _, group := range groupsOf[*one.RunID] {
			if err := all.add(group, one); err != nil {
				return err
			}
		}
		return nil
	})
}

// OnMatching returns the feedback on the matching runs together.
func OnMatching(tx *store.Tx, f store.RunFilter) (Ratings, error) {
	all := Ratings{}
	return all, tx.EachFeedback(f, all.add)
}

// OnProject returns the feedback on a project itself.
func OnProject(tx *store.Tx, workspaceID, projectID string) (Ratings, error) {
	rows, err := tx.ListFeedback(workspaceID, store.FeedbackFilter{ProjectIDs: []string{projectID}, OnProjects: new(true)}, store.Page{Limit: -1})
	all := Ratings{}
	for _, row := range rows {
		if err := all.add(row); err != nil {
			return nil, err
		}
	}
	return all, err
}

// OnThreads returns feedback that was attached to the matching runs but is about their conversations.
func OnThreads(tx *store.Tx, f store.RunFilter) (Ratings, error) {
	all := Ratings{}
	return all, tx.EachFeedback(f, func(one store.Feedback) error {
		body, err := Decode(one)
		if err != nil || body.ThreadID == nil {
			return err
		}
		return all.add(one)
	})
}
