package store

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// SQL that only SQLite understands is in this file, in the migrations, and where the database is opened. The functions written in Go
// that it calls are in question.go (answer), run_tree.go (remember and remembered) and subtree_memory.go.

// using makes SQLite read a table by an index that it would not choose itself.
func using(index string) string { return " INDEXED BY " + index + " " }

// unindexed keeps SQLite from using an index of a column.
func unindexed(column string) string { return "+" + column }

// thenJoin joins tables in the order in which they are written.
const thenJoin = " CROSS JOIN "

// differs compares values of which one may be null, which differs from every value.
const differs = "IS NOT"

// containing is the condition that a short text contains another one, case included.
func containing(text, part string) string { return "instr(" + text + ", " + part + ") > 0" }

// answer is the answer to a question, which is an argument, about columns.
func answer(columns ...string) string {
	return answerFunction + "(?, " + strings.Join(columns, ", ") + ")"
}

// elements are those of an argument that is a JSON list.
func elements(list string) string { return "(SELECT value FROM json_each(" + list + "))" }

// lists are the elements l of an argument that is a JSON list of lists, with their index as key. elementOfList is an element of one.
const lists = "json_each(?) l"

func elementOfList(n int) string { return "l.value ->> " + strconv.Itoa(n) }

// realOf converts a number, or the text of one.
func realOf(number string) string { return "CAST(" + number + " AS REAL)" }

// realIn is the number that a JSON text is; null if it is anything else, such as a text too long to be looked at in one step.
func realIn(text string) string {
	return fmt.Sprintf("CASE WHEN octet_length(%s) <= %d AND ", text, filter.NumberBytes) + "json_valid(" + text + ") AND json_type(" + text + ") IN ('integer', 'real') THEN " + realOf(text) + " END"
}

// oneIf is 1 for a boolean that is true, and 2 for any other.
func oneIf(boolean string) string { return "2 - " + boolean }

// memberText is a member of a JSON object, as text, by the names on the way to it.
func memberText(object string, names ...string) string {
	return object + " ->> '" + strings.Join(append([]string{"$"}, names...), ".") + "'"
}

// pair is a JSON list of two values.
func pair(first, second string) string { return "json_array(" + first + ", " + second + ")" }

// remembering is a condition on a trace that is evaluated once for each trace and question. The question is an argument, twice.
func remembering(trace, condition string) string {
	return "coalesce(remembered(?, " + trace + "), remember(?, " + trace + ", " + condition + "))"
}

// quarterOf is the number of the quarter of an hour that contains a time, rounded down also before 1970.
func quarterOf(column string) string {
	length := strconv.FormatInt(Quarter.Microseconds(), 10)
	return "((" + column + " - ((" + column + " % " + length + ") + " + length + ") % " + length + ") / " + length + ")"
}

// subtreeFigure is the figure of a run of a trace including all runs below; gathered is an expression that remembers those of the
// trace. The question is an argument, twice before those of gathered.
func subtreeFigure(trace, run, gathered string) string {
	return "subtree_figure(?, " + trace + ", " + run + ", coalesce(known_subtrees(?, " + trace + "), " + gathered + "))"
}

// gatherSubtrees remembers a value of the runs of a trace, which must come in their order. The question is an argument, and whether
// the earliest value counts instead of the sum.
func gatherSubtrees(alias, value string) string {
	column := func(name string) string { return alias + "." + name }
	return "gather_subtrees(?, " + column("trace_id") + ", ?, " + column("seq") + ", " + column("is_root") + ", " + column("dotted_order") +
		", " + column(value) + ")"
}
