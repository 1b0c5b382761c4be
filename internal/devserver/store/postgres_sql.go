package store

import (
	"regexp"
	"slices"
	"strconv"
)

// postgresSQL is the dialect of PostgreSQL. All statements are written for SQLite; the rules in this file make them PostgreSQL's, and its
// schema has functions for what only SQLite has built in.
type postgresSQL struct{}

// amongAsked are the runs for which the answer to a question is yes.
const amongAsked = " IN (SELECT unnest(CAST(? AS BIGINT[])))"

func (postgresSQL) askBody(run runRow, q bodyQuestion) condition {
	return where(run.column("seq")+amongAsked, &askedRuns{of: q, run: run, columns: "b.post, b.patch", body: true})
}

func (postgresSQL) askColumn(run runRow, q question, of condition) condition {
	return where(run.column("seq")+amongAsked, &askedRuns{of: q, run: run, columns: of.text + ", NULL", arguments: of.arguments})
}

// postgresRules make a statement PostgreSQL's, one after the other.
var postgresRules = []struct {
	of   *regexp.Regexp
	with string
}{
	// PostgreSQL chooses indexes, and the order of joins, by its statistics.
	{regexp.MustCompile(` INDEXED BY \w+ `), " "},
	{regexp.MustCompile(`([ (])\+(\w+\.\w+)`), "$1$2"},
	{regexp.MustCompile(` CROSS JOIN `), " JOIN "},
	// Without statistics, as in a new database, the index of all runs of a workspace is as good as that of IDs.
	{regexp.MustCompile(`\b(r|p|t)\.workspace_id = (\?\d*|d\.workspace_id) AND (r|p|t)\.id\b`), "$1.workspace_id || '' = $2 AND $3.id"},
	{regexp.MustCompile(` IS NOT (\?|CAST\()`), " IS DISTINCT FROM $1"},
	{regexp.MustCompile(` IN \(\)`), " IN (NULL)"},
	{regexp.MustCompile(` LIMIT (\?\d*)`), " LIMIT NULLIF(greatest(CAST($1 AS BIGINT), -1), -1)"}, // A negative limit is none.
	{regexp.MustCompile(`\binstr\(`), "strpos("},
	{regexp.MustCompile(`\bjson_array\(`), "pair_of("},
	// It takes a list for a hundred rows, for which it may read all of a table rather than look each up.
	{regexp.MustCompile(` NOT IN \(SELECT value FROM json_each\((\?\d*)\)\)`), " <> ALL (ARRAY(SELECT value FROM texts_of($1)))"},
	{regexp.MustCompile(` IN \(SELECT value FROM json_each\((\?\d*)\)\)`), " = ANY (ARRAY(SELECT value FROM texts_of($1)))"},
	{regexp.MustCompile(`SELECT value FROM json_each\(`), "SELECT value FROM texts_of("},
	{regexp.MustCompile(`SELECT n\.value FROM json_each\(`), "SELECT n.value FROM numbers_of("},
	{regexp.MustCompile(`\bjson_each\(`), "lists_of("},
	{regexp.MustCompile(`json_valid\([\w.]+\) AND json_type\(([\w.]+)\) IN \('integer', 'real'\)`), "is_number($1)"},
	{regexp.MustCompile(`([\w.]+) ->> '\$\.([^']*)'`), "member_text($1, '$2')"},
	{regexp.MustCompile(`\b` + figureFunction + `\((\?), ([\w.]+)\)`), "CAST(CAST($1 AS JSONB) ->> CAST($2 AS TEXT) AS DOUBLE PRECISION)"},
	{regexp.MustCompile(`CAST\(\? AS REAL\)`), "CAST(? AS DOUBLE PRECISION)"},
	{regexp.MustCompile(`CAST\((member_text\([^()]*\)|[\w.]+) AS REAL\)`), "real_of($1)"},
}

// placeholder matches the arguments of a statement.
var placeholder = regexp.MustCompile(`\?\d*`)

// postgresStatement is a statement for PostgreSQL.
type postgresStatement struct {
	text string
	uses []int // Which arguments it uses, in which order.
	// ofRuns reports whether it may read or change what SaveRun stores.
	ofRuns bool
	reads  bool // It changes nothing.
}

// ofRuns matches statements about the tables of runs. A row that is deleted takes those with it that refer to it.
var ofRuns = regexp.MustCompile(`\b(runs|run_bodies|run_labels|search_changed)\b|^\s*DELETE\b`)

var reads = regexp.MustCompile(`^\s*SELECT\b`)

func newPostgresStatement(text string) postgresStatement {
	for _, rule := range postgresRules {
		text = rule.of.ReplaceAllString(text, rule.with)
	}
	s := postgresStatement{ofRuns: ofRuns.MatchString(text), reads: reads.MatchString(text)}
	next := 0
	s.text = placeholder.ReplaceAllStringFunc(text, func(found string) string {
		argument, isNumbered := next, len(found) > 1
		if isNumbered {
			argument, _ = strconv.Atoi(found[1:])
			argument--
		} else {
			next++
		}
		at := slices.Index(s.uses, argument)
		if at < 0 || !isNumbered {
			at = len(s.uses)
			s.uses = append(s.uses, argument)
		}
		return "$" + strconv.Itoa(at+1)
	})
	return s
}

// of returns the arguments that the statement uses.
func (s postgresStatement) of(args []any) []any {
	used := make([]any, len(s.uses))
	for i, argument := range s.uses {
		used[i] = args[argument]
	}
	return used
}
