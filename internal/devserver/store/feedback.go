package store

import (
	"strings"
	"time"
)

// Feedback is a row of feedback: a rating of, or comment on, a run or a project.
type Feedback struct {
	Seq         int64     `db:"seq"`
	WorkspaceID string    `db:"workspace_id"`
	ID          string    `db:"id"`
	RunID       *string   `db:"run_id"`     // The run may not exist yet.
	ProjectID   *string   `db:"project_id"` // For feedback on a project.
	Key         string    `db:"key"`
	Score       *float64  `db:"score"`
	Value       *string   `db:"value"` // A string as it is, anything else as JSON.
	Comment     *string   `db:"comment"`
	Source      string    `db:"source"`
	Body        string    `db:"body"` // A JSON object: the whole feedback.
	CreatedAt   time.Time `db:"created_at"`
	ModifiedAt  time.Time `db:"modified_at"`
}

// FeedbackConfig describes the values of feedback with a key.
type FeedbackConfig struct {
	WorkspaceID string    `db:"workspace_id"`
	Key         string    `db:"key"`
	Config      string    `db:"config"` // A JSON object.
	LowerBetter *bool     `db:"lower_better"`
	ModifiedAt  time.Time `db:"modified_at"`
}

var (
	feedback        = tableOf[Feedback]("feedback", "workspace_id", "id")
	feedbackConfigs = tableOf[FeedbackConfig]("feedback_configs", "workspace_id", "key")
)

// Feedback reads one.
func (t *Tx) Feedback(workspaceID, id string) (Feedback, error) {
	return feedback.one(t, "f WHERE f.workspace_id = ? AND f.id = ? AND "+ofLiveRun("f")+" AND "+onLiveProject, workspaceID, id)
}

// SaveFeedback adds feedback, or replaces feedback with the same ID.
func (t *Tx) SaveFeedback(f Feedback) error {
	return feedback.save(t, f, "run_id", "project_id", "key", "score", "value", "comment", "source", "body", "modified_at")
}

// DeleteFeedback deletes one.
func (t *Tx) DeleteFeedback(workspaceID, id string) error {
	return t.execOne("DELETE FROM feedback WHERE workspace_id = ? AND id = ?", workspaceID, id)
}

// onLiveProject is the condition that feedback isn't on a project that is being deleted.
const onLiveProject = "(f.project_id IS NULL OR " + nothingMarked + " OR f.project_id NOT IN (" +
	"SELECT p.id FROM deleted_projects d JOIN projects p ON p.seq = d.project))"

// FeedbackFilter selects feedback; nil fields match all.
type FeedbackFilter struct {
	RunIDs, ProjectIDs, Keys, Sources []string
	HasComment, HasScore              *bool
	// OnProjects is true for feedback on projects only, and false for feedback on runs only.
	OnProjects *bool
	From, To   *time.Time // Bounds of created_at, both inclusive.
}

func (f FeedbackFilter) conditions(workspaceID string) (string, []any) {
	where, args := []string{"f.workspace_id = ?", ofLiveRun("f"), onLiveProject}, []any{workspaceID}
	and := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
	}
	for _, in := range []struct {
		column string
		values []string
	}{{"f.run_id", f.RunIDs}, {"f.key", f.Keys}, {"f.source", f.Sources}} {
		if in.values != nil {
			and(in.column+" IN ("+marks(len(in.values))+")", anys(in.values)...)
		}
	}
	if f.ProjectIDs != nil {
		of := ofProjects(f.ProjectIDs)
		and("(f.project_id IN ("+marks(len(f.ProjectIDs))+") OR EXISTS (SELECT 1 FROM runs r WHERE r.workspace_id = f.workspace_id "+
			"AND r.id = f.run_id AND "+of.text+"))", append(anys(f.ProjectIDs), of.arguments...)...)
	}
	for _, has := range []struct {
		column string
		is     *bool
	}{{"f.comment", f.HasComment}, {"f.score", f.HasScore}, {"f.project_id", f.OnProjects}} {
		if has.is != nil {
			and("("+has.column+" IS NOT NULL) = ?", *has.is)
		}
	}
	if f.From != nil {
		and("f.created_at >= ?", micros(*f.From))
	}
	if f.To != nil {
		and("f.created_at <= ?", micros(*f.To))
	}
	return strings.Join(where, " AND "), args
}

// ListFeedback lists matching feedback, newest first.
func (t *Tx) ListFeedback(workspaceID string, f FeedbackFilter, page Page) ([]Feedback, error) {
	where, args := f.conditions(workspaceID)
	return feedback.find(t, "f WHERE "+where+" ORDER BY f.created_at DESC, f.seq DESC LIMIT ? OFFSET ?", append(args, page.Limit, page.Offset)...)
}

// EachFeedback calls visit with the feedback on every matching run, oldest first, until visit fails.
func (t *Tx) EachFeedback(f RunFilter, visit func(Feedback) error) error {
	f, err := t.narrow(f)
	if err != nil {
		return err
	}
	statement, args := f.feedback()
	return each(t, feedback.scan, visit, statement, args...)
}

// feedback reads the feedback first, because most runs have none; the cross join enforces that.
func (f RunFilter) feedback() (string, []any) {
	f.traces.few = false // Runs are looked up by their feedback.
	if f.candidates != nil {
		f.candidates.listed = nil
	}
	if f.condition().needsAnswers() { // Only about runs with feedback.
		f.besides, f.sparse = []condition{where("r.id IN (SELECT f.run_id FROM feedback f WHERE f.workspace_id = ?)", f.WorkspaceID)}, true
	}
	where, args := f.conditions()
	of, arguments := "f.workspace_id = ?", []any{f.WorkspaceID}
	if f.IDs != nil { // With few rows, the index of all feedback of a workspace looks as good.
		of, arguments = "+"+of+" AND f.run_id IN ("+marks(len(f.IDs))+")", append(arguments, anys(f.IDs)...)
	}
	return feedback.selection("f") + thenJoin + "runs r ON r.workspace_id = f.workspace_id AND r.id = f.run_id WHERE " + of + " AND " + where + " ORDER BY f.seq",
		append(arguments, args...)
}

// FeedbackConfig reads the configuration of a key.
func (t *Tx) FeedbackConfig(workspaceID, key string) (FeedbackConfig, error) {
	return feedbackConfigs.one(t, "WHERE workspace_id = ? AND key = ?", workspaceID, key)
}

// FeedbackConfigs lists the configurations of a workspace, sorted by key.
func (t *Tx) FeedbackConfigs(workspaceID string) ([]FeedbackConfig, error) {
	return feedbackConfigs.find(t, "WHERE workspace_id = ? ORDER BY key", workspaceID)
}

// SaveFeedbackConfig adds a configuration, or replaces that of its key.
func (t *Tx) SaveFeedbackConfig(c FeedbackConfig) error {
	return feedbackConfigs.save(t, c, "config", "lower_better", "modified_at")
}

// DeleteFeedbackConfig deletes one.
func (t *Tx) DeleteFeedbackConfig(workspaceID, key string) error {
	return t.execOne("DELETE FROM feedback_configs WHERE workspace_id = ? AND key = ?", workspaceID, key)
}
