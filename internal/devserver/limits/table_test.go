package limits

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestTable checks that every limit is in the documented table.
func TestTable(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "limits.go", nil, 0)
	assert.Must(t, err)
	table, err := os.ReadFile("table.go")
	assert.Must(t, err)
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
		assert.Same(t, fmt.Sprintf("bytes(%d)", n), want, bytes(n))
	}
}
