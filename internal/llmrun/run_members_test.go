package llmrun_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// TestDecodeRunMembers checks that decoding from members gives the same run as decoding from JSON.
func TestDecodeRunMembers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "run", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d runs, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, wantProblems, err := llmrun.DecodeRun(data)
		if err != nil {
			continue // Not an object.
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(data, &members); err != nil {
			t.Fatal(err)
		}
		before := maps.Clone(members)
		got, gotProblems := llmrun.DecodeRunMembers(members)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		if len(wantProblems) != len(gotProblems) {
			t.Errorf("%s: problems = %v, want %v", file, gotProblems, wantProblems)
		}
		if diff := cmp.Diff(before, members); diff != "" {
			t.Errorf("%s: decoding changed the members (-before +after):\n%s", file, diff)
		}
	}
}
