package web

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens of parts of pages anew")

// TestGolden compares the fragments with most of the pages' content.
func TestGolden(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for name, data := range map[string]struct {
		part string
		data any
	}{
		"timeline":       {"timeline", timeline()},
		"timeline_empty": {"timeline", TimelineView{Frame: frame, DeploymentStatus: "AWAITING_DATABASE"}},
		"document":       {"document", newConversation("inputs", runView().Inputs, Paths{}, "")},
		"document_raw":   {"document", newConversation("outputs", runView().Outputs, Paths{}, "")},
		"nodes":          {"nodes", newTracePage(traceView()).Nodes},
		"totals":         {"totals", traceView().Totals},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			if err := execute(&b, p.templates["trace"], data.part, data.data); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".html")
			got := strings.TrimSpace(b.String()) + "\n"
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
