package devserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/ingest"
)

// condition is a condition on the row r of runs, in SQL, with its arguments.
type condition struct {
	text      string
	arguments []any
}

func where(text string, arguments ...any) condition { return condition{text, arguments} }

// join puts conditions together with AND or OR; without any, it is what holds of none.
func join(conditions []condition, operator, none string) condition {
	if len(conditions) == 0 {
		return where(none)
	}
	var all condition
	texts := make([]string, len(conditions))
	for i, c := range conditions {
		texts[i] = c.text
		all.arguments = append(all.arguments, c.arguments...)
	}
	all.text = "(" + strings.Join(texts, " "+operator+" ") + ")"
	return all
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

var operators = map[filter.Op]string{
	filter.Equal: "IS", filter.NotEqual: "IS NOT",
	filter.Greater: ">", filter.GreaterOrEqual: ">=", filter.Less: "<", filter.LessOrEqual: "<=",
}

// runCondition reads a filter of runs. An empty one holds for all.
func runCondition(text string) (condition, error) {
	if strings.TrimSpace(text) == "" {
		return where("1"), nil
	}
	expression, err := filter.Parse(text)
	if syntax, is := errors.AsType[*filter.SyntaxError](err); is {
		return condition{}, badRequest("%s", syntax)
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
		return join(collect(e.Terms, inSQL), "OR", "0")
	case filter.Not:
		inner := inSQL(e.Term)
		return condition{"NOT " + inner.text, inner.arguments}
	case filter.Search:
		return containing(e.Text)
	case filter.Has:
		return where("r.seq IN (SELECT l.run FROM run_labels l WHERE l.kind = 0 AND l.key = '' AND l.value = ?)", *e.Value.Text)
	case filter.In:
		terms := collect(e.Values, func(v filter.Value) filter.Expr { return filter.Compare{Op: filter.Equal, Field: e.Field, Value: v} })
		return join(collect(terms, inSQL), "OR", "0")
	case filter.Compare:
		return comparison(e)
	default:
		panic(fmt.Sprintf("a filter has no condition of type %T", e))
	}
}

// all joins terms by AND. Those about metadata are about one entry.
func all(terms []filter.Expr) condition {
	var conditions, entry []condition
	for _, term := range terms {
		if compare, is := term.(filter.Compare); is && labelColumns[compare.Field] != "" {
			entry = append(entry, compared(labelColumns[compare.Field], compare))
			continue
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
	return condition{"r.seq IN (SELECT l.run FROM run_labels l WHERE l.kind = 1 AND " + c.text + ")", c.arguments}
}

func comparison(e filter.Compare) condition {
	if column := labelColumns[e.Field]; column != "" {
		return ofEntry(compared(column, e))
	}
	if column := runColumns[e.Field]; column != "" {
		return compared(column, e)
	}
	return where("0") // Feedback is not kept, so no run has any.
}

// compared compares a column. A field without a value is not equal to any, which is why IS stands for equality.
func compared(column string, e filter.Compare) condition {
	value := argument(e)
	if e.Field == filter.MetadataValue && e.Value.Number != nil && e.Op != filter.Equal && e.Op != filter.NotEqual {
		column = "CAST(" + column + " AS REAL)"
	}
	if number, isNumber := value.(json.Number); isNumber {
		return where(column+" "+operators[e.Op]+" CAST(? AS REAL)", number.String())
	}
	return where(column+" "+operators[e.Op]+" ?", value)
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
	case v.Text == nil:
		return nil
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

// containing looks for a text in what was said of a run, in whatever case its Latin letters are.
func containing(text string) condition {
	encoded, err := json.Marshal(text)
	if err != nil {
		return where("0") // A text can always be encoded.
	}
	encoded = bytes.TrimSpace(encoded)
	needle := asciiLower(string(encoded[1 : len(encoded)-1])) // As it stands in JSON, without the quotes.
	return where(`EXISTS (SELECT 1 FROM run_bodies b WHERE b.run = r.seq AND
		(instr(lower(CAST(b.post AS TEXT)), ?) > 0 OR instr(lower(CAST(b.patch AS TEXT)), ?) > 0))`, needle, needle)
}

// asciiLower is what SQLite's lower does.
func asciiLower(text string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + ('a' - 'A')
		}
		return c
	}, text)
}
