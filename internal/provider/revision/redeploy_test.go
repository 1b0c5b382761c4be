package revision

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

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

func TestSameSource(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	image := func(uri string) api.SourceRevisionConfig { return api.SourceRevisionConfig{ImageURI: text(uri)} }
	built := func(ref, path, commit, uri string) api.SourceRevisionConfig {
		return api.SourceRevisionConfig{RepoRef: text(ref), GraphConfigPath: text(path), RepoCommitSHA: text(commit), ImageURI: text(uri)}
	}
	for name, test := range map[string]struct {
		a, b api.SourceRevisionConfig
		want bool
	}{
		"the same image":             {image("chat:1"), image("chat:1"), true},
		"another image":              {image("chat:1"), image("chat:2"), false},
		"a commit built twice":       {built("main", "graph.json", "0c1d", "b:1"), built("refs/tags/v1", "graph.json", "0c1d", "b:2"), true},
		"another commit of a branch": {built("main", "graph.json", "0c1d", "b:1"), built("main", "graph.json", "2e3f", "b:2"), false},
		"another file":               {built("main", "graph.json", "0c1d", "b:1"), built("main", "other.json", "0c1d", "b:1"), false},
		"a commit not yet known":     {built("main", "graph.json", "0c1d", "b:1"), api.SourceRevisionConfig{RepoRef: text("main"), GraphConfigPath: text("graph.json")}, false},
		"no commit is ever known":    {built("main", "graph.json", "", "b:1"), built("main", "graph.json", "", "b:2"), false},
		"no commit, the same build":  {built("main", "graph.json", "", "b:1"), built("main", "graph.json", "", "b:1"), true},
		"an archive and another one": {api.SourceRevisionConfig{SourceTarballPath: text("a")}, api.SourceRevisionConfig{SourceTarballPath: text("b")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := sameSource(api.Revision{SourceRevisionConfig: test.a}, api.Revision{SourceRevisionConfig: test.b}); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
	if sameSource(api.Revision{Source: api.SourceGitHost}, api.Revision{Source: api.SourceExternalContainer}) {
		t.Error("a repository and an image are the same")
	}
}

// TestNewLine keeps a blank line of a log.
func TestNewLine(t *testing.T) {
	t.Parallel()
	if got := newLine(api.LogEntry{Level: "INFO"}); got.Message != types.StringValue("") || got.Level != types.StringValue("INFO") {
		t.Errorf("got %v", got)
	}
}
