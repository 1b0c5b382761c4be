package store

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// TestCopyWaits checks that a copy that says that it is complete is on the disk.
func TestCopyWaits(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	admin, err := pgx.Connect(t.Context(), server.Address("postgres"))
	must(t, err)
	_, err = admin.Exec(t.Context(), "ALTER ROLE postgres SET synchronous_commit = off")
	must(t, errors.Join(err, admin.Close(t.Context())))
	target, err := openCopyTarget(t.Context(), server.Address("postgres"))
	must(t, err)
	var got string
	err = target.pgx.QueryRow(t.Context(), "SELECT current_setting('synchronous_commit')").Scan(&got)
	if err := errors.Join(err, target.close()); err != nil || got != "on" {
		t.Errorf("synchronous_commit = %q in a copy, want on: %v", got, err)
	}
}

// TestSettingsFail checks that a connection is closed that can't be used, because it refuses its settings.
func TestSettingsFail(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	config, err := postgresConfig(server.Address("postgres"))
	must(t, err)
	observer, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	t.Cleanup(func() { _ = observer.PgConn().Conn().Close() })
	count := func() (n int) {
		must(t, observer.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()").Scan(&n))
		return n
	}
	before := count()
	db := (&postgres{}).pool(config, settings{"no_such_setting = 1"})
	if err := db.PingContext(t.Context()); err == nil {
		t.Error("a connection without its settings is used")
	}
	must(t, db.Close())
	for began := time.Now(); count() != before; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("%d connections, want %d as before", count(), before)
		}
	}
}

// TestDatabaseClock tells a clock the time of a database, sometimes late. It must not show an earlier time than it was told, and follow
// when one of the clocks is set.
func TestDatabaseClock(t *testing.T) {
	t.Parallel()
	var c databaseClock
	ahead := func() time.Duration { return time.Until(c.Now()).Round(10 * time.Minute) }
	if got := ahead(); got != 0 {
		t.Errorf("before the first answer, the clock is ahead by %s, want 0", got)
	}
	for _, set := range []time.Duration{time.Hour, 3 * time.Hour, -time.Hour} {
		said := time.Now().Add(set)
		c.observe(said.UnixMicro())
		if now := c.Now(); now.Before(said.Truncate(time.Microsecond)) || ahead() != set {
			t.Errorf("the clock shows %s, want about %s, and not less", now, said)
		}
		before := c.Now()
		c.observe(said.Add(-time.Second / 2).UnixMicro()) // This answer took half a second.
		if now := c.Now(); now.Before(before) {
			t.Errorf("the clock shows %s after %s", now, before)
		}
	}
}

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
			text: "r.seq IN (SELECT n.value FROM numbers_of($1) n) AND r.id = ANY (ARRAY(SELECT value FROM texts_of($2)))", uses: []int{1, 0}},
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
		assert.Same(t, text, want, newPostgresStatement(text), cmp.AllowUnexported(postgresStatement{}))
	}
}
