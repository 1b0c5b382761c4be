package store

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// entrySet is something that a run has several of, such as entries of its metadata, whose fields are compared together.
type entrySet struct {
	// key is the field that tells entries apart, and columns are the fields in SQL.
	key     filter.Field
	columns map[filter.Field]string
	// before and after stand around a condition on an entry. In before, the row goes in place of the one with the alias r.
	before func(r runRow) string
	after  string
	// among are the entries that count; nil for all.
	among func(r runRow) []condition
}

// entrySets are all of them, in the order of the SQL that is made.
var entrySets = []*entrySet{
	{
		key: filter.MetadataKey, columns: map[filter.Field]string{filter.MetadataKey: "l.key", filter.MetadataValue: "l.value"},
		before: func(r runRow) string {
			return r.column("seq") + " IN (SELECT l.run FROM run_labels l WHERE l.kind = 1 AND "
		},
		after: ")",
	},
	{
		key: filter.FeedbackKey, columns: map[filter.Field]string{
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
	saidEntries("inputs", filter.InputKey, filter.InputValue),
	saidEntries("outputs", filter.OutputKey, filter.OutputValue),
}

// saidEntries are those of an object that was said of a run, nested ones by the path of their keys.
func saidEntries(member string, key, value filter.Field) *entrySet {
	return &entrySet{
		key: key, columns: map[filter.Field]string{
			key:   `replace(substr(e.fullkey, 3), '"', '')`,
			value: "iif(e.type IN ('true', 'false'), e.type, CAST(e.value AS TEXT))",
		},
		before: func(r runRow) string {
			return "EXISTS (SELECT 1 FROM run_bodies b, json_tree(" + saidMember(member) + ") e WHERE b.run = " + r.column("seq") + " AND "
		},
		after: ")",
	}
}

// setOf is the set that a field belongs to; nil for a field that a run has one of.
func setOf(field filter.Field) *entrySet {
	for _, set := range entrySets {
		if set.columns[field] != "" {
			return set
		}
	}
	return nil
}

// isValue says that a field is a value of any type, which is kept as a text.
func isValue(field filter.Field) bool {
	kind, _ := field.Kind()
	return kind == filter.Any
}

// entryTerm is a term about an entry.
type entryTerm struct {
	key   bool // It is about the key.
	holds condition
	// denied is what a term says that no entry is; empty for one that says what an entry is.
	denied condition
}

// entryTermOf is a term with the set that it is about; none for a term about something else.
func entryTermOf(term filter.Expr) (*entrySet, entryTerm) {
	switch e := term.(type) {
	case filter.Compare:
		set := setOf(e.Field)
		if set == nil {
			return nil, entryTerm{}
		}
		of := entryTerm{key: e.Field == set.key, holds: compared(set.columns[e.Field], e)}
		switch {
		case e.Op == filter.NotEqual && !e.Value.Null:
			e.Op = filter.Equal
			of.denied = compared(set.columns[e.Field], e)
		case e.Op == filter.Equal && e.Value.Null && of.key: // There is no entry at all.
			e.Op = filter.NotEqual
			of.denied = compared(set.columns[e.Field], e)
		}
		return set, of
	case filter.In:
		set := setOf(e.Field)
		if set == nil {
			return nil, entryTerm{}
		}
		return set, entryTerm{key: e.Field == set.key, holds: listed(set.columns[e.Field], e)}
	}
	return nil, entryTerm{}
}

// entry are the conditions that terms about a set of entries make. What says that a key is not this one says that there is no
// entry with it. So does what says it of a value, unless there is a key to which the value belongs.
func (r runRow) entry(set *entrySet, terms []entryTerm) []condition {
	var among []condition
	if set.among != nil {
		among = set.among(r)
	}
	keyed := false
	for _, term := range terms {
		keyed = keyed || term.key && term.denied.text == ""
	}
	var all, one []condition
	for _, term := range terms {
		if term.denied.text != "" && (term.key || !keyed) {
			all = append(all, join(append([]condition{term.denied}, among...), "AND", true).within("NOT "+set.before(r), set.after))
			continue
		}
		one = append(one, term.holds)
	}
	if len(one) > 0 {
		all = append(all, join(append(one, among...), "AND", true).within(set.before(r), set.after))
	}
	return all
}
