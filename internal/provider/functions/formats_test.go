package functions

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// formatRow is a row of the table of formats: the name, and whether convert_messages can write it.
var formatRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\|[^|]*\\|[^|]*\\|[^|]*\\| (yes|no) \\|")

// TestFormatsAreDocumented compares the guide's table with the formats that can be read and written.
func TestFormatsAreDocumented(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/message-formats.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, row := range formatRow.FindAllStringSubmatch(string(guide), -1) {
		name, written := row[1], row[2] == "yes"
		documented = append(documented, name)
		if want := slices.Contains(formats, document.Format(name)); written != want {
			t.Errorf("according to the guide, %s can be written: %t, want %t", name, written, want)
		}
	}
	paths, err := filepath.Glob("../../llmrun/message/testdata/*/*puts_*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	read := []string{string(document.FormatUnrecognized)}
	for _, path := range paths {
		read = append(read, filepath.Base(filepath.Dir(path)))
	}
	slices.Sort(read)
	slices.Sort(documented)
	if read = slices.Compact(read); !slices.Equal(read, documented) {
		t.Errorf("formats in the guide = %v, want %v", documented, read)
	}
}
