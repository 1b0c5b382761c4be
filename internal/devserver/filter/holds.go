package filter

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Subject is what a filter holds for or not: a run, or a conversation.
type Subject interface {
	// Value returns the value of a field of which there is at most one; Null if there is none.
	Value(field Field) Value
	// Entries returns the entries of a set, by the field that tells them apart: MetadataKey, FeedbackKey, InputKey or OutputKey.
	// Tags are entries with this one field.
	Entries(key Field) []Entry
	// Contains reports whether the contents contain a text, ignoring the case of Latin letters.
	Contains(text string) bool
}

// Entry contains the values of its fields. Those of kind Any are texts.
type Entry map[Field]Value

// Holds reports whether a filter holds for a subject. The store's SQL means the same.
func Holds(e Expr, s Subject) bool {
	switch e := e.(type) {
	case And:
		return allHold(e.Terms, s)
	case Or:
		return slices.ContainsFunc(e.Terms, func(term Expr) bool { return Holds(term, s) })
	case Not:
		return !Holds(e.Term, s)
	case Search:
		return s.Contains(e.Text)
	case Like:
		text := s.Value(e.Field).Text
		return text != nil && e.Matches([]byte(*text))
	case Has:
		return slices.ContainsFunc(s.Entries(e.Field), func(tag Entry) bool { return equal(tag[e.Field], e.Value) })
	case Compare:
		switch kind, _ := e.Field.Kind(); {
		case EntriesOf(e) != "":
			return allHold([]Expr{e}, s)
		case kind == List: // The parser accepts only that there is one.
			return len(s.Entries(e.Field)) > 0
		case kind == Object:
			return len(s.Entries(MetadataKey)) > 0
		}
		return compare(s.Value(e.Field), e.Op, e.Value)
	case In:
		if EntriesOf(e) != "" {
			return allHold([]Expr{e}, s)
		}
		return among(s.Value(e.Field), e.Values)
	}
	return false
}

func allHold(terms []Expr, s Subject) bool {
	sets, others := Split(terms)
	for _, set := range sets {
		entries := s.Entries(set.Key)
		if slices.ContainsFunc(entries, set.Denies) || len(set.One) > 0 && !slices.ContainsFunc(entries, set.Accepts) {
			return false
		}
	}
	return !slices.ContainsFunc(others, func(term Expr) bool { return !Holds(term, s) })
}

// value is null for a field that an entry doesn't have.
func (e Entry) value(field Field) Value {
	if v, has := e[field]; has {
		return v
	}
	return Value{Null: true}
}

func (e Entry) satisfies(term Expr) bool {
	switch term := term.(type) {
	case Compare:
		return compare(e.value(term.Field), term.Op, term.Value)
	case In:
		return among(e.value(term.Field), term.Values)
	}
	return false
}

func among(have Value, values []Value) bool {
	return slices.ContainsFunc(values, func(want Value) bool { return equal(have, want) })
}

func equal(have, want Value) bool { return compare(have, Equal, want) }

// compare compares the value of a field with another one. A field without a value differs from every value, and is neither
// greater nor less.
func compare(have Value, op Op, want Value) bool {
	switch {
	case want.Null:
		return have.Null == (op == Equal)
	case have.Null:
		return op == NotEqual
	}
	order, ordered := have.order(want, op)
	switch op {
	case Equal:
		return order == 0
	case NotEqual:
		return order != 0
	case Greater:
		return ordered && order > 0
	case GreaterOrEqual:
		return ordered && order >= 0
	case Less:
		return ordered && order < 0
	case LessOrEqual:
		return ordered && order <= 0
	}
	return false
}

// NumberBytes is the length of the longest text that can be a number.
const NumberBytes = 1 << 10

// order compares two values; false if neither is the greater one. A text is a value of any kind: it is less or greater than a
// number if it is one, and equal if it has the same digits.
func (v Value) order(want Value, op Op) (int, bool) {
	switch {
	case v.Time != nil && want.Time != nil:
		return v.Time.Compare(*want.Time), true
	case v.Number != nil && want.Number != nil:
		return cmp.Compare(amount(*v.Number), amount(*want.Number)), true
	case want.Number != nil && op != Equal && op != NotEqual:
		var number *float64
		if len(v.written()) > NumberBytes || json.Unmarshal([]byte(v.written()), &number) != nil || number == nil {
			return 0, false
		}
		return cmp.Compare(*number, amount(*want.Number)), true
	}
	return strings.Compare(v.written(), want.written()), true
}

// amount is a number as the store compares it.
func amount(digits string) float64 {
	n, _ := strconv.ParseFloat(digits, 64) // Beyond its range, it is infinite.
	return n
}

// written returns a value as text.
func (v Value) written() string {
	switch {
	case v.Text != nil:
		return *v.Text
	case v.Number != nil:
		return *v.Number
	case v.Bool != nil:
		return strconv.FormatBool(*v.Bool)
	}
	return ""
}
