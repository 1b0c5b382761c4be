package store

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// entrySet is a property of which a run has several, such as metadata entries, whose fields are compared together.
type entrySet struct {
	// key is the field that distinguishes entries, and columns are the fields in SQL.
	key     filter.Field
	columns map[filter.Field]string
	// before and after enclose a condition on an entry. In before, the alias r is replaced by the row's alias.
	before func(r runRow) string
	after  string
	// among restricts the entries that count; nil means all.
	among func(r runRow) []condition
}

// entrySets contains all of them, in the order of the resulting SQL.
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

// saidEntries returns the entries of an object in the body of a run. Nested ones have the path of their keys.
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

// setOf returns the set that a field belongs to; nil for a field with a single value.
func setOf(field filter.Field) *entrySet {
	for _, set := range entrySets {
		if set.columns[field] != "" {
			return set
		}
	}
	return nil
}

// isValue says whether a field is a value of any type, which is stored as text.
func isValue(field filter.Field) bool {
	kind, _ := field.Kind()
	return kind == filter.Any
}

// entryTerm is a term about an entry.
type entryTerm struct {
	key   bool // It is about the key.
	holds condition
	// denied is the condition on an entry that must not exist; empty if the term requires an entry.
	denied condition
}

// entryTermOf returns a term with its set; false for a term about something else.
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

// entry returns the conditions for terms about a set of entries. A term that excludes a key requires that no entry has it.
// So does one that excludes a value, unless there is also a key to which the value belongs.
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
