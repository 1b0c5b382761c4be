package store

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// onlySQLite matches SQL that other databases refuse or understand otherwise.
var onlySQLite = regexp.MustCompile(`INDEXED BY|CROSS JOIN|OR (IGNORE|REPLACE)|IS (NOT )?\?|"IS NOT"|[ (]\+\w+\.\w+|->>|\bLIKE \?|\bAS REAL\b|\b(instr|iif|glob|json_\w+|remember(ed)?|(gather|known)_subtrees|subtree_figure)\([^)]`)

// goCall matches calls of Go's functions of these names.
var goCall = regexp.MustCompile(`func \(?|m\.remember`)

// TestSQLite_unraced checks that SQL that only SQLite understands has a name, in one file.
func TestSQLite_unraced(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	here := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "postgres_sql.go" { // It has the rules that replace them.
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			found := onlySQLite.FindString(line)
			switch {
			case found == "" || strings.HasPrefix(strings.TrimSpace(line), "//") || goCall.MatchString(line):
			case file == "sqlite_sql.go":
				here++
			default:
				t.Errorf("%s:%d: %q belongs to sqlite_sql.go: %s", file, n+1, found, strings.TrimSpace(line))
			}
		}
	}
	if here < 6 {
		t.Errorf("sqlite_sql.go has %d lines that only SQLite understands: the pattern misses most", here)
	}
}
