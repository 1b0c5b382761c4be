package tracing

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// ratings are the aggregated feedback, by key.
type ratings map[string]*rating

// rating is the aggregated feedback with one key.
type rating struct {
	n, errors         int
	scores            []float64
	values            map[string]int // The count of each string value.
	comments, sources []string
	onThread          bool // Some of it is feedback on a conversation.
}

func (r ratings) add(f store.Feedback) error {
	one := r[f.Key]
	if one == nil {
		one = &rating{values: map[string]int{}, comments: []string{}, sources: []string{}}
		r[f.Key] = one
	}
	body, err := decodeFeedback(f)
	if err != nil {
		return err
	}
	one.n++
	one.onThread = one.onThread || body.ThreadID != nil
	if body.Error != nil && *body.Error {
		one.errors++
	}
	if f.Score != nil {
		one.scores = append(one.scores, *f.Score)
	}
	if len(body.Value) > 0 && body.Value[0] == '"' {
		one.values[*f.Value]++
	}
	if f.Comment != nil && len(one.comments) < limits.Comments {
		one.comments = append(one.comments, *f.Comment)
	}
	if !slices.Contains(one.sources, f.Source) {
		one.sources = append(one.sources, f.Source)
	}
	return nil
}

// feedbackStat contains the statistics common to runs and projects.
type feedbackStat struct {
	N      int            `json:"n"`
	Avg    *float64       `json:"avg"`
	Stdev  *float64       `json:"stdev"` // Of a sample: nil for fewer than two scores.
	Min    *float64       `json:"min"`
	Max    *float64       `json:"max"`
	Errors int            `json:"errors"`
	Values map[string]int `json:"values"`
}

// runFeedbackStat is feedback on one run, or on the runs of a conversation.
type runFeedbackStat struct {
	feedbackStat
	Comments               []string `json:"comments"`
	Sources                []string `json:"sources"`
	ContainsThreadFeedback bool     `json:"contains_thread_feedback"`
}

// projectFeedbackStat is feedback on several runs or projects.
type projectFeedbackStat struct {
	feedbackStat
	Median *float64 `json:"median"`
}

func (r *rating) stat() feedbackStat {
	s := feedbackStat{N: r.n, Avg: figure.Mean(r.scores), Stdev: figure.Deviation(r.scores), Errors: r.errors, Values: r.values}
	if len(r.scores) > 0 {
		s.Min, s.Max = new(slices.Min(r.scores)), new(slices.Max(r.scores))
	}
	return s
}

// ofRun returns the statistics of a run; nil without feedback.
func (r ratings) ofRun() any { return r.quoted(false) }

// ofThread returns the statistics of a conversation, including feedback on the conversation itself; nil without feedback.
func (r ratings) ofThread() any { return r.quoted(true) }

// quoted returns statistics with comments and sources.
func (r ratings) quoted(thread bool) any {
	if len(r) == 0 {
		return nil
	}
	all := make(map[string]runFeedbackStat, len(r))
	for key, one := range r {
		all[key] = runFeedbackStat{feedbackStat: one.stat(), Comments: one.comments, Sources: one.sources, ContainsThreadFeedback: thread && one.onThread}
	}
	return encodeStats(all)
}

// encodeStats encodes statistics as JSON; encoding numbers and strings never fails.
func encodeStats(all any) json.RawMessage {
	text, _ := json.Marshal(all)
	return text
}

// ofMany returns the statistics of several runs or projects; nil without feedback.
func (r ratings) ofMany() json.RawMessage {
	if len(r) == 0 {
		return nil
	}
	all := make(map[string]projectFeedbackStat, len(r))
	for key, one := range r {
		all[key] = projectFeedbackStat{one.stat(), figure.Percentile(one.scores, 0.5)}
	}
	return encodeStats(all)
}

// togetherRead is the number of runs in one database query, whose size is limited.
const togetherRead = 1000

// eachFeedbackOn calls visit with the feedback on some runs.
func eachFeedbackOn(c *rest.Call, rows []store.Run, visit func(store.Feedback) error) error {
	for some := range slices.Chunk(rows, togetherRead) {
		f := store.RunFilter{WorkspaceID: c.WorkspaceID, IDs: rest.Collect(some, func(row store.Run) string { return row.ID })}
		if err := c.Tx.EachFeedback(f, visit); err != nil {
			return err
		}
	}
	return nil
}

// ratingsOf returns the feedback on each of some runs, by run ID.
func ratingsOf(c *rest.Call, rows []store.Run) (map[string]ratings, error) {
	all := map[string]ratings{}
	return all, eachFeedbackOn(c, rows, func(one store.Feedback) error {
		if all[*one.RunID] == nil {
			all[*one.RunID] = ratings{}
		}
		return all[*one.RunID].add(one)
	})
}

// rate adds the feedback on the matching runs to their groups.
func rate[K comparable](c *rest.Call, f store.RunFilter, groups map[K]*measured) error {
	groupsOf := map[string][]*measured{}
	for _, group := range groups {
		group.ratings = ratings{}
		for _, run := range group.Runs {
			groupsOf[run.ID] = append(groupsOf[run.ID], group)
		}
	}
	return c.Tx.EachFeedback(f, func(one store.Feedback) error {
		for _, group := range groupsOf[*one.RunID] {
			if err := group.ratings.add(one); err != nil {
				return err
			}
		}
		return nil
	})
}

// projectRatings returns the feedback on a project itself.
func projectRatings(c *rest.Call, projectID string) (ratings, error) {
	rows, err := c.Tx.ListFeedback(c.WorkspaceID, store.FeedbackFilter{ProjectIDs: []string{projectID}, OnProjects: new(true)}, store.Page{Limit: -1})
	all := ratings{}
	for _, row := range rows {
		if err := all.add(row); err != nil {
			return nil, err
		}
	}
	return all, err
}

// threadRatings returns the feedback on the traces of a conversation.
func threadRatings(c *rest.Call, t thread) (ratings, error) {
	all := ratings{}
	for some := range slices.Chunk(t.turns, togetherRead) {
		f := store.RunFilter{WorkspaceID: c.WorkspaceID, IDs: rest.Collect(some, func(row store.Run) string { return row.ID })}
		if err := c.Tx.EachFeedback(f, all.add); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// saidOfThreads returns feedback that was attached to runs but is about their conversations.
func saidOfThreads(c *rest.Call, f store.RunFilter) (ratings, error) {
	all := ratings{}
	return all, c.Tx.EachFeedback(f, func(one store.Feedback) error {
		body, err := decodeFeedback(one)
		if err != nil || body.ThreadID == nil {
			return err
		}
		return all.add(one)
	})
}
