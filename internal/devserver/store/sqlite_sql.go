package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// SQL that only SQLite understands is in this file, in the migrations, and where the database is opened. The functions written in Go
// that it calls are in question.go.

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

// elements are those of an argument that is a JSON list of texts, and numbers those of a list of numbers.
func elements(list string) string { return "(SELECT value FROM json_each(" + list + "))" }

func numbers(list string) string { return "(SELECT n.value FROM json_each(" + list + ") n)" }

// lists are the elements l of an argument that is a JSON list of lists, with their index as key. elementOfList is an element of one.
const lists = "json_each(?) l"

func elementOfList(n int) string { return "l.value ->> " + strconv.Itoa(n) }

// realOf converts a number, or the text of one.
func realOf(number string) string { return "CAST(" + number + " AS REAL)" }

// realIn is the number that a JSON text is; null if it is anything else, such as a text too long to be looked at in one step.
func realIn(text string) string {
	return fmt.Sprintf("CASE WHEN octet_length(%s) <= %d AND ", text, filter.NumberBytes) + "json_valid(" + text + ") AND json_type(" + text + ") IN ('integer', 'real') THEN " + realOf(text) + " END"
}

// memberText is a member of a JSON object, as text, by the names on the way to it.
func memberText(object string, names ...string) string {
	return object + " ->> '" + strings.Join(append([]string{"$"}, names...), ".") + "'"
}

// pair is a JSON list of two values.
func pair(first, second string) string { return "json_array(" + first + ", " + second + ")" }

// startQuarter is the number of the quarter of an hour in which the run r has started, rounded down also before 1970.
func startQuarter() string {
	length := strconv.FormatInt(Quarter.Microseconds(), 10)
	return "((r.start_time - ((r.start_time % " + length + ") + " + length + ") % " + length + ") / " + length + ")"
}

// sqliteSQL is the dialect of SQLite.
type sqliteSQL struct{}

func (d sqliteSQL) askBody(run runRow, q bodyQuestion) condition {
	asked := answerFunction + "(?, b.post, b.patch)"
	return where("EXISTS (SELECT 1 FROM run_bodies b WHERE b.run = "+run.column("seq")+" AND "+asked+")", q)
}

func (sqliteSQL) askColumn(_ runRow, q question, of condition) condition {
	return where(answerFunction+"(?, "+of.text+")", slices.Concat([]any{q}, of.arguments)...)
}
