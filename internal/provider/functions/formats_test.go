package functions

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
)

// formatRow is a row of the table of formats: its name, and whether convert_messages writes it.
var formatRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\|[^|]*\\|[^|]*\\|[^|]*\\| (yes|no) \\|")

// TestFormatsAreDocumented compares the table of the guide to the formats that documents are read as and written in.
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
		if want := slices.Contains(formats, message.Format(name)); written != want {
			t.Errorf("the guide says of %s that it is written: %t", name, written)
		}
	}
	paths, err := filepath.Glob("../../llmrun/message/testdata/*/*puts_*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	read := []string{string(message.FormatUnrecognized)}
	for _, path := range paths {
		read = append(read, filepath.Base(filepath.Dir(path)))
	}
	slices.Sort(read)
	slices.Sort(documented)
	if read = slices.Compact(read); !slices.Equal(read, documented) {
		t.Errorf("the guide has %v, want %v", documented, read)
	}
}
