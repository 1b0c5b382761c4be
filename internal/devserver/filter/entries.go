package filter

import "slices"

// ofEntries maps the fields of what a run has several of, such as metadata entries, to the field that tells them apart.
var ofEntries = map[Field]Field{
	MetadataKey: MetadataKey, MetadataValue: MetadataKey,
	FeedbackKey: FeedbackKey, FeedbackScore: FeedbackKey, FeedbackValue: FeedbackKey, FeedbackComment: FeedbackKey, FeedbackSource: FeedbackKey,
	InputKey: InputKey, InputValue: InputKey,
	OutputKey: OutputKey, OutputValue: OutputKey,
}

// Entries are the terms of a conjunction about the entries of one set.
type Entries struct {
	// Key is the field that tells the entries apart.
	Key Field
	// One are the terms that some entry satisfies, all at once. No entry satisfies any of Denied.
	One, Denied []Expr
}

// Split separates the terms of a conjunction that are about entries from the others. A term that excludes a key requires that
// no entry has it. So does one that excludes a value, unless there is also a key to which the value belongs.
func Split(terms []Expr) (sets []Entries, others []Expr) {
	of := map[Field][]Expr{}
	for _, term := range terms {
		if key := EntriesOf(term); key != "" {
			of[key] = append(of[key], term)
			continue
		}
		others = append(others, term)
	}
	for _, key := range []Field{MetadataKey, FeedbackKey, InputKey, OutputKey} {
		if len(of[key]) > 0 {
			sets = append(sets, entries(key, of[key]))
		}
	}
	return sets, others
}

// Denies reports whether the conjunction can't hold because of an entry.
func (e Entries) Denies(entry Entry) bool { return slices.ContainsFunc(e.Denied, entry.satisfies) }

// Accepts reports whether an entry satisfies all terms that need one.
func (e Entries) Accepts(entry Entry) bool {
	return !slices.ContainsFunc(e.One, func(term Expr) bool { return !entry.satisfies(term) })
}

// EntriesOf returns the field that tells the entries apart that a comparison or a list is about; empty for any other term.
func EntriesOf(term Expr) Field { return ofEntries[fieldOf(term)] }

func entries(key Field, terms []Expr) Entries {
	set := Entries{Key: key}
	keyed := false
	for _, term := range terms {
		_, excludes := denied(term, key)
		keyed = keyed || !excludes && fieldOf(term) == key
	}
	for _, term := range terms {
		if opposite, excludes := denied(term, key); excludes && (!keyed || fieldOf(term) == key) {
			set.Denied = append(set.Denied, opposite)
			continue
		}
		set.One = append(set.One, term)
	}
	return set
}

func fieldOf(term Expr) Field {
	switch e := term.(type) {
	case Compare:
		return e.Field
	case In:
		return e.Field
	}
	return ""
}

// denied returns what no entry may satisfy for a term to hold; false if the term requires an entry.
func denied(term Expr, key Field) (Expr, bool) {
	e, is := term.(Compare)
	switch {
	case is && e.Op == NotEqual && !e.Value.Null:
		e.Op = Equal
		return e, true
	case is && e.Op == Equal && e.Value.Null && e.Field == key: // There is no entry at all.
		e.Op = NotEqual
		return e, true
	}
	return nil, false
}
