package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// TestConditionsFit checks that the longest filters with the longest lists of IDs have no more values than SQLite allows in one
// statement.
func TestConditionsFit(t *testing.T) {
	t.Parallel()
	const sqliteMaxVariables = 32766
	const longest = 1000 // The longest list that a query may have.
	e := parse(t, `in(id, [`+strings.Repeat(`"nobody", `, 1999)+`])`)
	ids := make([]string, longest)
	text, args := RunFilter{ProjectIDs: ids, IDs: ids, Examples: ids, Where: e, RootWhere: e, TreeWhere: e}.conditions()
	if n := len(args); n > sqliteMaxVariables || n < 3*1999+2*longest {
		t.Errorf("%d values, want a lot, but at most SQLite's %d", n, sqliteMaxVariables)
	}
	if marks := strings.Count(text, "?"); marks != len(args) {
		t.Errorf("%d placeholders, want one for each of the %d values", marks, len(args))
	}
}

// TestJoin checks that conditions are joined as a balanced tree, so that thousands of them aren't nested deeply.
func TestJoin(t *testing.T) {
	t.Parallel()
	parts := func(n int) []condition {
		all := make([]condition, n)
		for i := range all {
			all[i] = where("a = ?", i)
		}
		return all
	}
	for n, want := range map[int]condition{
		0: where("?", true),
		1: where("a = ?", 0),
		2: where("(a = ? AND a = ?)", 0, 1),
		3: where("(a = ? AND (a = ? AND a = ?))", 0, 1, 2),
		4: where("((a = ? AND a = ?) AND (a = ? AND a = ?))", 0, 1, 2, 3),
	} {
		if diff := cmp.Diff(want, join(parts(n), "AND", true), cmp.AllowUnexported(condition{})); diff != "" {
			t.Errorf("%d conditions (-want +got):\n%s", n, diff)
		}
	}
	many := join(parts(2000), "OR", false)
	deepest, depth := 0, 0
	for _, c := range many.text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		deepest = max(deepest, depth)
	}
	if deepest != 11 || len(many.arguments) != 2000 {
		t.Errorf("2,000 conditions are nested %d deep, with %d values, want 11 and 2000", deepest, len(many.arguments))
	}
}

// TestConditions checks the SQL of filters for which the results would be the same with other SQL, but not
// the use of indexes.
func TestConditions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]condition{
		`eq(thread_id, "t")`:    where("r.thread_id = ?", "t"), // Otherwise the index of conversations wouldn't be used.
		`neq(thread_id, "t")`:   where("r.thread_id IS NOT ?", "t"),
		`eq(error, null)`:       where("r.error IS NULL"),
		`neq(error, null)`:      where("r.error IS NOT NULL"),
		`eq(is_root, true)`:     where("r.is_root = ?", true),
		`eq(run_type, "LLM")`:   where("r.run_type = ?", "llm"),
		`gt(total_tokens, 1e3)`: where("r.total_tokens > CAST(? AS REAL)", realText("1e3")),
		`in(name, ["a", null])`: where("(r.name IS NULL OR r.name IN (?))", "a"),
		`not(gt(latency, 1))`:   where("NOT coalesce((r.end_time - r.start_time) / 1e6 > CAST(? AS REAL), FALSE)", realText("1")),
		`eq(feedback_score, true)`: where("EXISTS (SELECT 1 FROM feedback f WHERE f.run_id = r.id AND f.workspace_id = r.workspace_id AND "+
			"f.score = CAST(? AS REAL))", realText("1")),
		`neq(metadata_key, "k")`: where("NOT r.seq IN (SELECT l.run FROM run_labels l WHERE l.kind = 1 AND l.key = ?)", "k"),
		`eq(metadata_key, "k")`:  where("r.seq IN (SELECT l.run FROM run_labels l WHERE l.kind = 1 AND l.key = ?)", "k"),
		`eq(metadata_value, 2)`:  where("r.seq IN (SELECT l.run FROM run_labels l WHERE l.kind = 1 AND l.value = ?)", "2"),
		`or(search("A"), eq(name, "n"), search("b"))`: where("(r.name = ? OR EXISTS (SELECT 1 FROM run_bodies b WHERE b.run = r.seq AND "+
			"answer(?, b.post, b.patch)))", "n", bodySays{[]string{"A", "b"}, false}),
		`and(search("A"), search("b"))`: where("EXISTS (SELECT 1 FROM run_bodies b WHERE b.run = r.seq AND answer(?, b.post, b.patch))",
			bodySays{[]string{"A", "b"}, true}),
		`in(execution_order, [])`: where("(? OR CASE WHEN r.is_root THEN 1 ELSE 2 END IN ())", false),
	} {
		got := RunFilter{}.row("r").holds(parse(t, text))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(condition{}, bodySays{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// parse parses a valid filter.
func parse(t *testing.T, text string) filter.Expr {
	t.Helper()
	e, err := filter.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}
