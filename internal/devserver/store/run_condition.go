package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// condition is a condition in SQL, with its arguments.
type condition struct {
	text      string
	arguments []any
}

func where(text string, arguments ...any) condition { return condition{text, arguments} }

// join combines conditions with AND or OR; none result in a condition that is always true or never. It joins halves
// recursively: SQLite parses a chain of operators into a tree and refuses trees deeper than 1,000.
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

// constant is always true or never. It is an argument because SQLite finds no plan for a statement with INDEXED BY if it
// can tell that no row matches.
func constant(holds bool) condition { return where("?", holds) }

// runRow is a row of runs in a statement. Its methods build conditions on it.
type runRow struct {
	on          dialect
	alias       string
	workspaceID string
	// among is a condition on the row that selects the runs that a statement can ask about, without questions.
	among func() condition
	// whole reports whether tokens, costs and the first token include all runs below.
	whole bool
	// figures are those with all runs below that conditions on the row compare, by what is added up.
	figures map[string]*subtreeFigures
	// feedbackFrom and feedbackTo restrict feedback in conditions by its last change: From inclusive, To exclusive.
	feedbackFrom, feedbackTo *time.Time
}

// column is a column of the row.
func (r runRow) column(name string) string { return r.alias + "." + name }

// fieldColumns maps the fields that are columns of runs.
var fieldColumns = map[filter.Field]string{
	filter.ID: "id", filter.Name: "name", filter.RunType: "run_type", filter.Status: "status", filter.StartTime: "start_time",
	filter.EndTime: "end_time", filter.Error: "error", filter.IsRoot: "is_root", filter.TraceID: "trace_id",
	filter.ParentRunID: "parent_run_id", filter.ThreadID: "thread_id",
}

// field returns the SQL of a field with a single value.
func (r runRow) field(field filter.Field) condition {
	if f, is := figureOf(field); is {
		return r.figure(f)
	}
	return where(r.simpleField(field))
}

// simpleField is field for one that is no figure.
func (r runRow) simpleField(field filter.Field) string {
	switch field { // All others are columns, or have several values.
	case filter.Latency:
		return "(" + r.column("end_time") + " - " + r.column("start_time") + ") / 1e6"
	case filter.UserID:
		return "(SELECT l.value FROM run_labels l WHERE l.run = " + r.column("seq") + " AND l.kind = 1 AND l.key = 'ls_user_id')"
	case filter.ExecutionOrder: // Clients that ask for the first in order mean the root.
		return "CASE WHEN " + r.column("is_root") + " THEN 1 ELSE 2 END"
	default:
		return r.column(fieldColumns[field])
	}
}

// operators compare a column with a non-null value. IS NOT, because a field without a value differs from every value; but =,
// because IS would keep SQLite from using its partial indexes.
var operators = map[filter.Op]string{
	filter.Equal: "=", filter.NotEqual: differs,
	filter.Greater: ">", filter.GreaterOrEqual: ">=", filter.Less: "<", filter.LessOrEqual: "<=",
}

// labelKinds maps the fields that are labels to their kinds.
var labelKinds = map[filter.Field]LabelKind{filter.Tags: Tag, filter.Metadata: Metadata}

// holds returns the condition that a filter holds for the row.
func (r runRow) holds(expression filter.Expr) condition {
	switch e := expression.(type) {
	case filter.And:
		return r.all(e.Terms)
	case filter.Or:
		return r.any(e.Terms)
	case filter.Not:
		// A comparison with a field without a value is false here, but NULL in SQL.
		inner := r.holds(e.Term)
		return inner.within("NOT coalesce(", ", FALSE)")
	case filter.Search:
		return r.contains([]string{e.Text}, true)
	case filter.Has:
		return where(r.column("seq")+" IN (SELECT l.run FROM run_labels l WHERE l.kind = 0 AND l.key = '' AND l.value = ?)", labelValue(*e.Value.Text))
	case filter.Like:
		if isContent(e.Field) {
			return r.on.askBody(r, bodyMatches(e.Field, &e))
		}
		return r.on.askColumn(r, textMatches{e}, r.field(e.Field))
	case filter.In:
		if filter.EntriesOf(e) != "" {
			return r.all([]filter.Expr{e})
		}
		return listed(r.field(e.Field), e)
	case filter.Compare:
		if filter.EntriesOf(e) != "" {
			return r.all([]filter.Expr{e})
		}
		if kind, labels := labelKinds[e.Field]; labels { // The parser accepts only existing fields.
			return where("EXISTS (SELECT 1 FROM run_labels l WHERE l.run = "+r.column("seq")+" AND l.kind = ?)", kind)
		}
		if isContent(e.Field) { // Which is compared with null only.
			exists := r.on.askBody(r, bodyMatches(e.Field, nil))
			if e.Op == filter.Equal {
				return exists.within("NOT ", "")
			}
			return exists
		}
		return compared(r.field(e.Field), e)
	default:
		panic(fmt.Sprintf("a filter can't have a condition of type %T", e))
	}
}

// all joins terms with AND.
func (r runRow) all(terms []filter.Expr) condition {
	var conditions []condition
	texts, terms := searched(terms)
	sets, terms := filter.Split(terms)
	for _, term := range terms {
		conditions = append(conditions, r.holds(term))
	}
	for _, set := range sets {
		conditions = append(conditions, r.entries(set)...)
	}
	if texts != nil {
		conditions = append(conditions, r.contains(texts, true))
	}
	return join(conditions, "AND", true)
}

// any joins terms with OR.
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

// compared compares a field with a value.
func compared(of condition, e filter.Compare) condition {
	column := of.text
	switch {
	case e.Value.Null && e.Op == filter.Equal:
		return where(column+" IS NULL", of.arguments...)
	case e.Value.Null:
		return where(column+" IS NOT NULL", of.arguments...)
	case isValue(e.Field) && e.Value.Number != nil && e.Op != filter.Equal && e.Op != filter.NotEqual:
		column = realIn(column)
	}
	value := literal(e)
	return where(column+" "+operators[e.Op]+" "+value.text, slices.Concat(of.arguments, value.arguments)...)
}

// listed searches for a field among values.
func listed(of condition, e filter.In) condition {
	var texts []string
	arguments := slices.Clone(of.arguments)
	null := constant(false)
	for _, v := range e.Values {
		if v.Null {
			null = where(of.text+" IS NULL", of.arguments...)
			continue
		}
		value := literal(filter.Compare{Op: filter.Equal, Field: e.Field, Value: v})
		texts, arguments = append(texts, value.text), append(arguments, value.arguments...)
	}
	return join([]condition{null, where(of.text+" IN ("+strings.Join(texts, ", ")+")", arguments...)}, "OR", false)
}

// literal returns a compared value in SQL. Numbers of any form are compared as numbers.
func literal(e filter.Compare) condition {
	value := argument(e)
	if number, isNumber := value.(realText); isNumber {
		return where(realOf("?"), number)
	}
	return where("?", value)
}

// realText is an argument of realOf: a number, as it was written.
type realText string

// argument returns a compared value as it is stored.
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
		return realText(*v.Number)
	}
	if e.Field == filter.MetadataValue {
		return labelValue(*e.Value.Text)
	}
	return *e.Value.Text
}

// searched extracts the search texts from terms. Each search reads the whole body of a run, so those of a filter are
// combined and evaluated after all cheaper conditions.
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

// contains searches the values in the body of a run for texts: for all of them, or for any.
func (r runRow) contains(texts []string, all bool) condition {
	return r.on.askBody(r, bodySays(texts, all))
}

// madeFor selects runs made for one of some examples of a dataset. They are rare, so their bodies are searched.
func (r runRow) madeFor(examples []string) condition {
	return r.on.askBody(r, bodyRefers("reference_example_id", examples))
}

// isContent reports whether a field is a part of the body.
func isContent(field filter.Field) bool {
	kind, _ := field.Kind()
	return kind == filter.Content
}

// inRoot requires the root of the row's trace to be in the workspace and to satisfy a condition on the row t. A trace has
// the ID of its root, which is looked up: of EXISTS, PostgreSQL would make a join, and look among all roots.
func (r runRow) inRoot(c condition) condition {
	return join([]condition{where("t.workspace_id = ? AND "+alive("t"), r.workspaceID), c}, "AND", true).within(
		"(SELECT TRUE FROM runs t WHERE t.is_root AND t.id = "+r.column("trace_id")+" AND ", ") IS TRUE")
}

// inTrace requires a run of the row's trace to be in the workspace and to satisfy a condition on the row t. Such traces are found once, in those
// of the rows, which satisfy others. Without "IS TRUE", PostgreSQL might join the runs of the trace with each other, above all before it has
// statistics.
func (r runRow) inTrace(others, c condition) condition {
	return join([]condition{
		others.within("t.trace_id IN (SELECT r.trace_id FROM runs r WHERE ", ")"), where(unindexed("t.workspace_id")+" = ? AND "+alive("t"), r.workspaceID), c,
	}, "AND", true).within("("+r.column("trace_id")+" IN (SELECT t.trace_id FROM runs t WHERE ", ")) IS TRUE")
}

// within wraps a condition in SQL.
func (c condition) within(before, after string) condition {
	return condition{before + c.text + after, c.arguments}
}

// needsAnswers reports whether a condition can only be evaluated after a question has been answered, or after figures have been computed.
func (c condition) needsAnswers() bool {
	return slices.ContainsFunc(c.arguments, func(argument any) bool {
		switch argument.(type) {
		case *askedRuns, *subtreeFigures:
			return true
		}
		return false
	})
}

// asks reports whether a condition needs answers, or has a question that SQLite answers for each row.
func (c condition) asks() bool {
	return c.needsAnswers() || slices.ContainsFunc(c.arguments, func(argument any) bool { _, is := argument.(question); return is })
}

// withoutQuestions returns the part of an expression that asks nothing: all runs that satisfy the expression satisfy it.
func (r runRow) withoutQuestions(e filter.Expr) filter.Expr {
	and, is := e.(filter.And)
	switch {
	case e == nil || !r.holds(e).asks():
		return e
	case !is:
		return nil
	}
	// Terms about entries have a meaning together, but then either all of them ask or none does.
	and.Terms = slices.DeleteFunc(slices.Clone(and.Terms), func(term filter.Expr) bool { return r.holds(term).asks() })
	return and
}
