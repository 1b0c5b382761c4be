package tracing

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// condition is a condition on the row r of runs, in SQL, with its arguments.
type condition struct {
	text      string
	arguments []any
}

func where(text string, arguments ...any) condition { return condition{text, arguments} }

// join puts conditions together with AND or OR; without any, it is what holds of none. It does so by halves: SQLite takes
// a row of operators for a tree, and none that is more than 1,000 deep.
func join(conditions []condition, operator, none string) condition {
	switch n := len(conditions); n {
	case 0:
		return where(none)
	case 1:
		return conditions[0]
	default:
		left, right := join(conditions[:n/2], operator, none), join(conditions[n/2:], operator, none)
		return where("("+left.text+" "+operator+" "+right.text+")", slices.Concat(left.arguments, right.arguments)...)
	}
}

// runColumns are the fields that are a column, or made of columns.
var runColumns = map[filter.Field]string{
	filter.ID: "r.id", filter.Name: "r.name", filter.RunType: "r.run_type", filter.Status: "r.status",
	filter.StartTime: "r.start_time", filter.EndTime: "r.end_time", filter.FirstTokenTime: "r.first_token_time",
	filter.Latency: "(r.end_time - r.start_time) / 1e6", filter.TotalTokens: "r.total_tokens",
	filter.PromptTokens: "r.prompt_tokens", filter.OutputTokens: "r.completion_tokens",
	filter.TotalCost: "CAST(r.total_cost AS REAL)", filter.Error: "r.error", filter.IsRoot: "r.is_root",
	filter.TraceID: "r.trace_id", filter.ParentRunID: "r.parent_run_id", filter.ThreadID: "r.thread_id",
	// Clients that ask for the first in order mean the root.
	filter.ExecutionOrder: "2 - r.is_root",
}

// labelColumns are the fields of an entry l of run_labels.
var labelColumns = map[filter.Field]string{filter.MetadataKey: "l.key", filter.MetadataValue: "l.value"}

// operators compare with what is not null. A field without a value differs from every value, which = can't say; IS in its
// place would keep SQLite from its partial indexes.
var operators = map[filter.Op]string{
	filter.Equal: "=", filter.NotEqual: "IS NOT",
	filter.Greater: ">", filter.GreaterOrEqual: ">=", filter.Less: "<", filter.LessOrEqual: "<=",
}

// runCondition reads a filter of runs. An empty one holds for all.
func runCondition(text string) (condition, error) {
	if strings.TrimSpace(text) == "" {
		return where("1"), nil
	}
	expression, err := filter.Parse(text)
	if syntax, is := errors.AsType[*filter.SyntaxError](err); is {
		return condition{}, rest.BadRequest("%s", syntax)
	}
	if err != nil {
		return condition{}, err
	}
	return inSQL(expression), nil
}

// inSQL is a condition in SQL.
func inSQL(expression filter.Expr) condition {
	switch e := expression.(type) {
	case filter.And:
		return all(e.Terms)
	case filter.Or:
		return join(rest.Collect(e.Terms, inSQL), "OR", "0")
	case filter.Not:
		// A comparison with a field that has no value doesn't hold, which in SQL is neither true nor false.
		inner := inSQL(e.Term)
		return condition{"NOT coalesce(" + inner.text + ", 0)", inner.arguments}
	case filter.Search:
		return containing(e.Text)
	case filter.Has:
		return where("r.seq IN (SELECT l.run FROM run_labels l WHERE l.kind = 0 AND l.key = '' AND l.value = ?)", *e.Value.Text)
	case filter.In:
		return ofField(e.Field, func(column string) condition { return listed(column, e) })
	case filter.Compare:
		return ofField(e.Field, func(column string) condition { return compared(column, e) })
	default:
		panic(fmt.Sprintf("a filter has no condition of type %T", e))
	}
}

// all joins terms by AND. Those about metadata are about one entry.
func all(terms []filter.Expr) condition {
	var conditions, entry []condition
	for _, term := range terms {
		switch e := term.(type) {
		case filter.Compare:
			if column := labelColumns[e.Field]; column != "" {
				entry = append(entry, compared(column, e))
				continue
			}
		case filter.In:
			if column := labelColumns[e.Field]; column != "" {
				entry = append(entry, listed(column, e))
				continue
			}
		}
		conditions = append(conditions, inSQL(term))
	}
	if len(entry) > 0 {
		conditions = append(conditions, ofEntry(join(entry, "AND", "1")))
	}
	return join(conditions, "AND", "1")
}

// ofEntry is a condition on an entry of a run's metadata.
func ofEntry(c condition) condition {
	return c.within("r.seq IN (SELECT l.run FROM run_labels l WHERE l.kind = 1 AND ", ")")
}

// ofField is a condition on the column that holds a field.
func ofField(field filter.Field, on func(column string) condition) condition {
	if column := labelColumns[field]; column != "" {
		return ofEntry(on(column))
	}
	if column := runColumns[field]; column != "" {
		return on(column)
	}
	return where("0") // Feedback is not kept, so no run has any.
}

// compared compares a column with a value.
func compared(column string, e filter.Compare) condition {
	switch {
	case e.Value.Null && e.Op == filter.Equal:
		return where(column + " IS NULL")
	case e.Value.Null:
		return where(column + " IS NOT NULL")
	case e.Field == filter.MetadataValue && e.Value.Number != nil && e.Op != filter.Equal && e.Op != filter.NotEqual:
		column = "CASE WHEN json_valid(" + column + ") AND json_type(" + column + ") IN ('integer', 'real') THEN CAST(" + column + " AS REAL) END"
	}
	value := literal(e)
	return where(column+" "+operators[e.Op]+" "+value.text, value.arguments...)
}

// listed looks for a column among values.
func listed(column string, e filter.In) condition {
	var texts []string
	var arguments []any
	null := where("0")
	for _, v := range e.Values {
		if v.Null {
			null = where(column + " IS NULL")
			continue
		}
		value := literal(filter.Compare{Op: filter.Equal, Field: e.Field, Value: v})
		texts, arguments = append(texts, value.text), append(arguments, value.arguments...)
	}
	return join([]condition{null, where(column+" IN ("+strings.Join(texts, ", ")+")", arguments...)}, "OR", "0")
}

// literal is the value of a comparison in SQL. Numbers of any form are compared as numbers.
func literal(e filter.Compare) condition {
	value := argument(e)
	if number, isNumber := value.(json.Number); isNumber {
		return where("CAST(? AS REAL)", number.String())
	}
	return where("?", value)
}

// argument is the value of a comparison, as it is stored.
func argument(e filter.Compare) any {
	switch v := e.Value; {
	case v.Time != nil:
		return v.Time.UnixMicro()
	case v.Bool != nil && e.Field == filter.MetadataValue:
		return strconv.FormatBool(*v.Bool)
	case v.Bool != nil:
		return *v.Bool
	case v.Number != nil && e.Field == filter.MetadataValue && (e.Op == filter.Equal || e.Op == filter.NotEqual):
		return *v.Number
	case v.Number != nil:
		return json.Number(*v.Number)
	}
	text := *e.Value.Text
	switch e.Field { //nolint:exhaustive // All other texts are stored as they are.
	case filter.ID, filter.TraceID, filter.ParentRunID:
		if id, err := ingest.ParseID(text); err == nil {
			return id
		}
	case filter.RunType, filter.Status:
		return strings.ToLower(text)
	}
	return text
}

// containing looks for a text in the values that were said of a run, in whatever case its Latin letters are. Clients encode
// texts in different ways, so values are decoded before they are compared; but bodies that don't contain what of the text
// has only one form are left out before.
func containing(text string) condition {
	needle, plain := asciiLower(text), ""
	for part := range strings.FieldsFuncSeq(needle, escapable) {
		if len(part) > len(plain) {
			plain = part
		}
	}
	return join(rest.Collect([]string{"b.post", "b.patch"}, func(layer string) condition {
		value := "CAST(" + layer + " AS TEXT)"
		return where("(instr(lower("+value+"), ?) > 0 AND EXISTS (SELECT 1 FROM json_tree("+validJSON(value)+
			") v WHERE instr(lower(v.atom), ?) > 0))", plain, needle)
	}), "OR", "0").within("EXISTS (SELECT 1 FROM run_bodies b WHERE b.run = r.seq AND ", ")")
}

// within puts SQL around a condition.
func (c condition) within(before, after string) condition {
	return condition{before + c.text + after, c.arguments}
}

// validJSON is null in place of JSON that is nested deeper than SQLite can read, which would end the whole query.
func validJSON(value string) string {
	return "CASE WHEN json_valid(" + value + ") THEN " + value + " END"
}

// escapable says that encoders write a character into JSON in different ways.
func escapable(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune(`"\/<>&'`, c) }

// asciiLower is what SQLite's lower does.
func asciiLower(text string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + ('a' - 'A')
		}
		return c
	}, text)
}
