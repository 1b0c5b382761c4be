package limits

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTable checks that every limit is in the documented table.
func TestTable(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "limits.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("table.go")
	if err != nil {
		t.Fatal(err)
	}
	bounds := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		for _, name := range spec.Names {
			bounds++
			if !regexp.MustCompile(`\(` + name.Name + `[,)]|int64\(` + name.Name + `\)`).Match(table) {
				t.Errorf("Table doesn't contain %s", name.Name)
			}
		}
		return false
	})
	if rows := len(Table()); rows != bounds {
		t.Errorf("Table has %d rows, want one for each of the %d limits", rows, bounds)
	}
	for n, want := range map[int64]string{10 << 20: "10 MiB", 1 << 30: "1 GiB", 64 << 10: "64 KiB", 1000: "1000 bytes"} {
		if got := bytes(n); got != want {
			t.Errorf("bytes(%d) = %s, want %s", n, got, want)
		}
	}
}

// elsewhere has the limits that don't belong in the table, with the reasons.
var elsewhere = map[string]string{
	"maxChangedTraces":  "of a cache",
	"maxDepth":          "follows from PayloadDepth",
	"maxGroup":          "no client reaches it",
	"maxGroupTime":      "others wait",
	"maxGroups":         "of a cache",
	"maxHoles":          "how figures are read",
	"maxKeptBytes":      "of a cache",
	"maxLabel":          "how labels are stored",
	"maxLabels":         "of one statement",
	"maxLong":           "others wait",
	"maxLooks":          "no client reaches it",
	"maxMarkedRuns":     "the rest is computed elsewhere",
	"maxMarks":          "of one transaction",
	"maxPacked":         "how runs are stored",
	"maxReaders":        "others wait",
	"mostLogPages":      "SQLite copies a longer log itself",
	"mostCopies":        "the log is copied later",
	"maxStale":          "how figures are read",
	"maxSubtreeRuns":    "of a cache",
	"maxTraced":         "others wait",
	"minPacked":         "how runs are stored",
	"minSpare":          "the rest is computed elsewhere",
	"mostChanged":       "how texts are indexed",
	"mostDropped":       "of one transaction",
	"mostExpected":      "how runs are read",
	"mostExpectedBody":  "how runs are read",
	"mostExpectedBytes": "how runs are read",
	"mostGrams":         "how texts are indexed",
	"mostIndexed":       "how texts are indexed",
	"mostLookups":       "how texts are searched",
	"mostPacked":        "how texts are indexed",
	"mostPiece":         "how texts are searched",
	"mostRounds":        "no client reaches it",
	"mostSpare":         "the rest is computed elsewhere",
	"mostStatements":    "of a cache",
	"mostTraceRuns":     "how texts are searched",
	"mostTraced":        "how texts are searched",
	"mostUnsaved":       "of one statement",
	"mostUnsavedBytes":  "of one statement",
	"mostUnread":        "how texts are indexed",
	"mostWanted":        "the end of a statement",
	"mostRepeats":       "no client reaches it",
	"mostSought":        "how runs are read",
}

// TestBoundsElsewhere checks that other packages have no limits that clients can reach, except for pages, which limit what they show.
func TestBoundsElsewhere(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`^(min|max|most)[A-Z]`)
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "pages" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			general, is := declaration.(*ast.GenDecl)
			if !is {
				continue
			}
			for _, spec := range general.Specs {
				values, is := spec.(*ast.ValueSpec)
				if !is {
					continue
				}
				for _, name := range values.Names {
					if found[name.Name] = true; named.MatchString(name.Name) && elsewhere[name.Name] == "" {
						t.Errorf("%s: %s is named like a limit: add it to the table, or to elsewhere", path, name.Name)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range elsewhere {
		if !found[name] {
			t.Errorf("elsewhere has %s, which doesn't exist", name)
		}
	}
}
