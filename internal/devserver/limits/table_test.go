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

// TestTable: every bound is in the table that people read.
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
				t.Errorf("%s is not in the table", name.Name)
			}
		}
		return false
	})
	if rows := len(Table()); rows != bounds {
		t.Errorf("the table has %d rows for %d bounds", rows, bounds)
	}
	for n, want := range map[int64]string{10 << 20: "10 MiB", 1 << 30: "1 GiB", 64 << 10: "64 KiB", 1000: "1000 bytes"} {
		if got := bytes(n); got != want {
			t.Errorf("%d bytes are %s, want %s", n, got, want)
		}
	}
}

// elsewhere are what bounds something and isn't in the table, by why.
var elsewhere = map[string]string{
	"maxLooks": "no client reaches it", "maxGroup": "no client reaches it", "maxLabels": "of one statement", "maxReaders": "others wait",
	"maxLong": "others wait", "mostStatements": "of a cache", "maxSpans": "of a cache", "maxGroups": "of a cache", "mostWanted": "the end of a statement",
	"minPacked": "how runs are stored", "maxPacked": "how runs are stored", "maxLabel": "how labels are stored",
	"maxJSONDepth": "what SQLite reads", "maxDepth": "follows from PayloadDepth",
}

// TestBoundsElsewhere: what is named like a bound in the other packages isn't one that clients can reach. How much pages show is theirs.
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
						t.Errorf("%s: %s belongs into the table", path, name.Name)
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
			t.Errorf("there is no %s", name)
		}
	}
}
