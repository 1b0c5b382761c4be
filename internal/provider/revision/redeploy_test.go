package revision

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestDescribed(t *testing.T) {
	t.Parallel()
	image, ref, commit, empty := "registry.example.com/agents/chat:1", "main", "0c1d2e3f", ""
	for name, test := range map[string]struct {
		source api.SourceRevisionConfig
		want   string
	}{
		"an image":            {api.SourceRevisionConfig{ImageURI: &image}, "R1 (registry.example.com/agents/chat:1)"},
		"a branch":            {api.SourceRevisionConfig{RepoRef: &ref}, "R1 (main)"},
		"a built commit":      {api.SourceRevisionConfig{RepoRef: &ref, RepoCommitSHA: &commit, ImageURI: &image}, "R1 (0c1d2e3f)"},
		"a commit not known":  {api.SourceRevisionConfig{RepoRef: &ref, RepoCommitSHA: &empty}, "R1 (main)"},
		"nothing is returned": {api.SourceRevisionConfig{}, "R1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := described("R1", test.source); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
