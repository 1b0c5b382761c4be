package store

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// entrySet is what a run has several of, such as metadata entries, in SQL.
type entrySet struct {
	columns map[filter.Field]string
	// before and after enclose a condition on an entry.
	before func(r runRow) string
	after  string
	// among restricts the entries that count; nil means all.
	among func(r runRow) []condition
}

// entrySets contains all of them, by the field that tells the entries apart.
var entrySets = map[filter.Field]entrySet{
	filter.MetadataKey: {
		columns: map[filter.Field]string{filter.MetadataKey: "l.key", filter.MetadataValue: "l.value"},
		before: func(r runRow) string {
			return r.column("seq") + " IN (SELECT l.run FROM run_labels l WHERE l.kind = 1 AND "
		},
		after: ")",
	},
	filter.FeedbackKey: {
		columns: map[filter.Field]string{
			filter.FeedbackKey: "f.key", filter.FeedbackScore: "f.score", filter.FeedbackValue: "f.value",
			filter.FeedbackComment: "f.comment", filter.FeedbackSource: "f.source",
		},
		before: func(r runRow) string {
			return "EXISTS (SELECT 1 FROM feedback f WHERE f.run_id = " + r.column("id") + " AND f.workspace_id = " +
				r.column("workspace_id") + " AND "
		},
		after: ")",
		among: func(r runRow) (all []condition) {
			if r.feedbackFrom != nil {
				all = append(all, where("f.modified_at >= ?", micros(*r.feedbackFrom)))
			}
			if r.feedbackTo != nil {
				all = append(all, where("f.modified_at < ?", micros(*r.feedbackTo)))
			}
			return all
		},
	},
}

// bodyEntrySets are the members of a body whose values are entries, by the field that tells them apart.
var bodyEntrySets = map[filter.Field]bodyHasEntry{
	filter.InputKey:  {member: "inputs", key: filter.InputKey, value: filter.InputValue},
	filter.OutputKey: {member: "outputs", key: filter.OutputKey, value: filter.OutputValue},
}

// isValue reports whether a field is a value of any type, which is stored as text.
func isValue(field filter.Field) bool {
	kind, _ := field.Kind()
	return kind == filter.Any
}

// entries returns the conditions for the terms about a set of entries.
func (r runRow) entries(of filter.Entries) []condition {
	if inBody, is := bodyEntrySets[of.Key]; is {
		inBody.of = of
		return []condition{r.on.askBody(r, aboutMember(inBody.member, inBody.holds))}
	}
	set := entrySets[of.Key]
	var among []condition
	if set.among != nil {
		among = set.among(r)
	}
	var all, one []condition
	for _, term := range of.Denied {
		all = append(all, join(append([]condition{set.holds(term)}, among...), "AND", true).within("NOT "+set.before(r), set.after))
	}
	for _, term := range of.One {
		one = append(one, set.holds(term))
	}
	if one != nil {
		all = append(all, join(append(one, among...), "AND", true).within(set.before(r), set.after))
	}
	return all
}

// holds returns the condition that a term holds for an entry.
func (s entrySet) holds(term filter.Expr) condition {
	if e, is := term.(filter.In); is {
		return listed(where(s.columns[e.Field]), e)
	}
	e, _ := term.(filter.Compare)
	return compared(where(s.columns[e.Field]), e)
}
