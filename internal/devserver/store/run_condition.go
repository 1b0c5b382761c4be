package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// condition is a condition in SQL, with its arguments.
type condition struct {
	text      string
	arguments []any
}

func where(text string, arguments ...any) condition { return condition{text, arguments} }

// join puts conditions together with AND or OR; without any, it is what holds of none. It does so by halves: SQLite takes
// a row of operators for a tree, and none that is more than 1,000 deep.
func join(conditions []condition, operator string, none bool) condition {
	switch n := len(conditions); n {
	case 0:
		return constant(none)
	case 1:
		return conditions[0]
	default:
		left, right := join(conditions[:n/2], operator, none), join(conditions[n/2:], operator, none)
		return where("("+left.text+" "+operator+" "+right.text+")", slices.Concat(left.arguments, right.arguments)...)
	}
}

// constant always holds, or never. It is an argument because SQLite finds no plan for a statement that names an index when it
// sees that nothing holds.
func constant(holds bool) condition { return where("?", holds) }

// runRow is a row of runs in a statement. Its methods make conditions on it.
type runRow struct {
	alias string
	// whole says that tokens, costs and the first token are those of the run and of all below it.
	whole bool
	// feedbackFrom and feedbackTo leave feedback out of conditions that was last changed before the first, or not before the
	// second.
	feedbackFrom, feedbackTo *time.Time
}

// column is a column of the row.
func (r runRow) column(name string) string { return r.alias + "." + name }

// fieldColumns are the fields that are a column of runs.
var fieldColumns = map[filter.Field]string{
	filter.ID: "id", filter.Name: "name", filter.RunType: "run_type", filter.Status: "status", filter.StartTime: "start_time",
	filter.EndTime: "end_time", filter.Error: "error", filter.IsRoot: "is_root", filter.TraceID: "trace_id",
	filter.ParentRunID: "parent_run_id", filter.ThreadID: "thread_id",
}

// field is a field in SQL that a run has one of.
func (r runRow) field(field filter.Field) string {
	switch field { //nolint:exhaustive // All others are columns, or none.
	case filter.Latency:
		return "(" + r.column("end_time") + " - " + r.column("start_time") + ") / 1e6"
	case filter.Inputs, filter.Outputs:
		return "(SELECT " + saidMember(string(field)) + " FROM run_bodies b WHERE b.run = " + r.column("seq") + ")"
	case filter.UserID:
		return "(SELECT l.value FROM run_labels l WHERE l.run = " + r.column("seq") + " AND l.kind = 1 AND l.key = 'ls_user_id')"
	case filter.ExecutionOrder: // Clients that ask for the first in order mean the root.
		return "2 - " + r.column("is_root")
	}
	if f, is := figureOf(field); is {
		return r.figure(f)
	}
	return r.column(fieldColumns[field])
}

// operators compare with what is not null. A field without a value differs from every value, which = can't say; IS in its
// place would keep SQLite from its partial indexes.
var operators = map[filter.Op]string{
	filter.Equal: "=", filter.NotEqual: "IS NOT",
	filter.Greater: ">", filter.GreaterOrEqual: ">=", filter.Less: "<", filter.LessOrEqual: "<=",
}

// labelKinds are the fields that are labels, by what kind of them.
var labelKinds = map[filter.Field]int{filter.Tags: 0, filter.Metadata: 1}

// holds says that a filter holds for the row.
func (r runRow) holds(expression filter.Expr) condition {
	switch e := expression.(type) {
	case filter.And:
		return r.all(e.Terms)
	case filter.Or:
		return r.any(e.Terms)
	case filter.Not:
		// A comparison with a field that has no value doesn't hold, which in SQL is neither true nor false.
		inner := r.holds(e.Term)
		return condition{"NOT coalesce(" + inner.text + ", 0)", inner.arguments}
	case filter.Search:
		return r.contains([]string{e.Text}, true)
	case filter.Has:
		return where(r.column("seq")+" IN (SELECT l.run FROM run_labels l WHERE l.kind = 0 AND l.key = '' AND l.value = ?)", labelValue(*e.Value.Text))
	case filter.Like:
		return where(r.field(e.Field)+` LIKE ? ESCAPE '\'`, likePattern(e))
	case filter.In:
		if setOf(e.Field) != nil {
			return r.all([]filter.Expr{e})
		}
		return listed(r.field(e.Field), e)
	case filter.Compare:
		if setOf(e.Field) != nil {
			return r.all([]filter.Expr{e})
		}
		if kind, labels := labelKinds[e.Field]; labels { // The parser lets only exists pass.
			return where("EXISTS (SELECT 1 FROM run_labels l WHERE l.run = "+r.column("seq")+" AND l.kind = ?)", kind)
		}
		return compared(r.field(e.Field), e)
	default:
		panic(fmt.Sprintf("a filter has no condition of type %T", e))
	}
}

// all joins terms by AND. Those about entries of one set are about one entry.
func (r runRow) all(terms []filter.Expr) condition {
	var conditions []condition
	entries := map[*entrySet][]entryTerm{}
	texts, terms := searched(terms)
	for _, term := range terms {
		if set, of := entryTermOf(term); set != nil {
			entries[set] = append(entries[set], of)
			continue
		}
		conditions = append(conditions, r.holds(term))
	}
	for _, set := range entrySets {
		conditions = append(conditions, r.entry(set, entries[set])...)
	}
	if texts != nil {
		conditions = append(conditions, r.contains(texts, true))
	}
	return join(conditions, "AND", true)
}

// any joins terms by OR.
func (r runRow) any(terms []filter.Expr) condition {
	texts, terms := searched(terms)
	conditions := make([]condition, len(terms), len(terms)+1)
	for i, term := range terms {
		conditions[i] = r.holds(term)
	}
	if texts != nil {
		conditions = append(conditions, r.contains(texts, false))
	}
	return join(conditions, "OR", false)
}

// compared compares a column with a value.
func compared(column string, e filter.Compare) condition {
	switch {
	case e.Value.Null && e.Op == filter.Equal:
		return where(column + " IS NULL")
	case e.Value.Null:
		return where(column + " IS NOT NULL")
	case isValue(e.Field) && e.Value.Number != nil && e.Op != filter.Equal && e.Op != filter.NotEqual:
		column = "CASE WHEN json_valid(" + column + ") AND json_type(" + column + ") IN ('integer', 'real') THEN CAST(" + column + " AS REAL) END"
	}
	value := literal(e)
	return where(column+" "+operators[e.Op]+" "+value.text, value.arguments...)
}

// listed looks for a column among values.
func listed(column string, e filter.In) condition {
	var texts []string
	var arguments []any
	null := constant(false)
	for _, v := range e.Values {
		if v.Null {
			null = where(column + " IS NULL")
			continue
		}
		value := literal(filter.Compare{Op: filter.Equal, Field: e.Field, Value: v})
		texts, arguments = append(texts, value.text), append(arguments, value.arguments...)
	}
	return join([]condition{null, where(column+" IN ("+strings.Join(texts, ", ")+")", arguments...)}, "OR", false)
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
	case v.Bool != nil && isValue(e.Field):
		return strconv.FormatBool(*v.Bool)
	case v.Bool != nil:
		return *v.Bool
	case v.Number != nil && isValue(e.Field) && (e.Op == filter.Equal || e.Op == filter.NotEqual):
		return *v.Number
	case v.Number != nil:
		return json.Number(*v.Number)
	}
	text := *e.Value.Text
	switch e.Field { //nolint:exhaustive // All other texts are stored as they are.
	case filter.ID, filter.TraceID, filter.ParentRunID:
		if id, err := uuid.Parse(text); err == nil {
			return id.String()
		}
	case filter.RunType, filter.Status:
		return strings.ToLower(text)
	case filter.MetadataValue:
		return labelValue(text)
	}
	return text
}

// searched takes the texts out of terms that are searched for. Each search reads all that was said of a run, so that those of a filter
// are made together, after all that takes less.
func searched(terms []filter.Expr) (texts []string, others []filter.Expr) {
	for _, term := range terms {
		if s, is := term.(filter.Search); is {
			texts = append(texts, s.Text)
			continue
		}
		others = append(others, term)
	}
	return texts, others
}

// contains looks for texts in the values that were said of a run: for all of them, or for any.
func (r runRow) contains(texts []string, all bool) condition {
	list, err := json.Marshal(texts)
	if err != nil {
		panic(fmt.Sprintf("texts can't be encoded: %s", err)) // All can.
	}
	return r.inBody(where("says(b.post, b.patch, ?, ?)", string(list), all))
}

// madeFor is about runs that were made for one of some examples of a dataset. Few are, so that is looked up in what was
// said of each run.
func (r runRow) madeFor(examples []string) condition {
	return r.inBody(where(saidMember("reference_example_id")+" ->> '$' IN ("+marks(len(examples))+")", anys(examples)...))
}

// inBody is a condition on what was said of a run.
func (r runRow) inBody(c condition) condition {
	return c.within("EXISTS (SELECT 1 FROM run_bodies b WHERE b.run = "+r.column("seq")+" AND ", ")")
}

// inRoot says that the root of the row's trace is in the workspace and fulfils a condition on the row t. A trace has the id of its
// root.
func (r runRow) inRoot(workspaceID string, c condition) condition {
	return join([]condition{where("t.workspace_id = ?", workspaceID), c}, "AND", true).within(
		"EXISTS (SELECT 1 FROM runs t WHERE t.is_root AND t.id = "+r.column("trace_id")+" AND ", ")")
}

// within puts SQL around a condition.
func (c condition) within(before, after string) condition {
	return condition{before + c.text + after, c.arguments}
}

// saidMember is what was said last of a member of a run whose body is b, as JSON.
func saidMember(name string) string {
	return "coalesce(said(b.patch, '" + name + "'), said(b.post, '" + name + "'))"
}

// likePattern is a pattern in the words of SQL, where an underscore stands for any character.
func likePattern(e filter.Like) string {
	escaped := strings.NewReplacer(`\`, `\\`, "_", `\_`).Replace(e.Pattern)
	if e.Contains {
		escaped = strings.ReplaceAll(escaped, "%", `\%`)
	}
	if e.Contains || !strings.Contains(escaped, "%") {
		return "%" + escaped + "%"
	}
	return escaped
}

// asciiLower puts Latin letters into small ones.
func asciiLower(text string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + ('a' - 'A')
		}
		return c
	}, text)
}
