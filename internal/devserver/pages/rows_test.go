package pages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneDoor checks that pages read rows only through the interfaces in rows.go.
func TestOneDoor(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if uses := strings.Contains(string(text), "c."+"Tx"); uses != (file == "rows.go") {
			t.Errorf("%s uses the transaction: %t", file, uses)
		}
	}
}
