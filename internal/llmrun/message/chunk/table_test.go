package chunk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestTables demands that each line of the tables of streams has the form of a rule, and names what to do.
func TestTables(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../*/stream.txt")
	if err != nil || len(paths) < 5 {
		t.Fatalf("found the tables %q, %v", paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		assert.Must(t, err)
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(line)
			if len(words) == 0 || words[0][0] == '#' || len(words) > 1 && words[1] == "=" {
				continue
			}
			var known bool
			if len(words) > 4 {
				_, known = hows[words[4]]
			}
			isRule := len(words) == 1 || len(words) == 4 || len(words) == 5 && known || len(words) == 7 && known && words[5] == "but"
			if !isRule || len(words) > 1 && words[2] != "->" {
				t.Errorf("%s: %s", path, line)
			}
		}
	}
}
