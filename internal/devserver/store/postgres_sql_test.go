package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPostgresStatement shows what the rules make of statements.
func TestPostgresStatement(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]postgresStatement{
		"SELECT 1": {text: "SELECT 1", reads: true},
		"SELECT r.id FROM runs r" + using("runs_of_trace") + "WHERE r.trace_id = ? AND " + unindexed("r.workspace_id") + " = ?": {
			text: "SELECT r.id FROM runs r WHERE r.trace_id = $1 AND r.workspace_id = $2", uses: []int{0, 1}, ofRuns: true, reads: true},
		"a" + thenJoin + "b ON a.x = b.x WHERE a.y " + differs + " ? AND a.z " + differs + " " + realOf("?") + " AND a.z IS NOT NULL": {
			text: "a JOIN b ON a.x = b.x WHERE a.y IS DISTINCT FROM $1 AND a.z IS DISTINCT FROM CAST($2 AS DOUBLE PRECISION) AND a.z IS NOT NULL", uses: []int{0, 1}},
		"a = ?3 OR b = ?1 OR c = ?3": {text: "a = $1 OR b = $2 OR c = $1", uses: []int{2, 0}},
		"r.seq IN " + numbers("?2") + " AND r.id IN " + elements("?1"): {
			text: "r.seq IN (SELECT n.value FROM numbers_of($1) n) AND r.id IN (SELECT value FROM texts_of($2))", uses: []int{1, 0}},
		"FROM " + lists + " WHERE x = " + elementOfList(1): {text: "FROM lists_of($1) l WHERE x = l.value ->> 1", uses: []int{0}},
		containing("d.name", "?3"):                         {text: "strpos(d.name, $1) > 0", uses: []int{2}},
		"r.workspace_id = ?1 AND r.id = ?2":                {text: "r.workspace_id || '' = $1 AND r.id = $2", uses: []int{0, 1}},
		pair("l.key", "l.value"):                           {text: "pair_of(l.key, l.value)"},
		realOf("r.total_cost"):                             {text: "real_of(r.total_cost)"},
		realOf(memberText("r.figures", "a", "b")):          {text: "real_of(member_text(r.figures, 'a.b'))"},
		realIn("l.value"):                                  {text: "CASE WHEN octet_length(l.value) <= 1024 AND is_number(l.value) THEN real_of(l.value) END"},
		"x IN (" + marks(0) + ")":                          {text: "x IN (NULL)"},
		"x LIMIT ? OFFSET ?":                               {text: "x LIMIT NULLIF(greatest(CAST($1 AS BIGINT), -1), -1) OFFSET $2", uses: []int{0, 1}},
		"SET a = a + excluded.a, b = b + 1":                {text: "SET a = a + excluded.a, b = b + 1"},
	} {
		if diff := cmp.Diff(want, newPostgresStatement(text), cmp.AllowUnexported(postgresStatement{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
