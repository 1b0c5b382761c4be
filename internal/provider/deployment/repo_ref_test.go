package deployment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

const sha = "0123456789abcdef0123456789abcdef01234567"

func TestTrackedRef(t *testing.T) {
	t.Parallel()
	const main, release, tag = "main", "release", "refs/tags/v1"
	null := types.StringNull()
	for name, test := range map[string]struct {
		prior, told types.String
		ref, branch string
		want        string
	}{
		"an echo":                                       {text(main), null, main, "", main},
		"an echo of something else":                     {text(main), null, release, "", release},
		"a commit of the branch":                        {text(main), text(main), sha, main, main},
		"a commit of another branch":                    {text(main), text(main), sha, release, release},
		"a commit of a branch instead of a tag":         {text(tag), null, sha, main, main},
		"a commit of a tag":                             {text(tag), null, sha, "", tag},
		"a commit of a tag that was a branch before":    {text(tag), text(main), sha, "", tag},
		"a commit of no branch any more":                {text(main), text(main), sha, "", sha},
		"a commit of a service that tells no branches":  {text(main), null, sha, "", main},
		"the same, in an apply":                         {text(main), types.StringUnknown(), sha, "", main},
		"imported, of a branch":                         {null, null, sha, main, main},
		"imported, of what the service doesn't tell":    {null, null, sha, "", sha},
		"another tag, echoed":                           {text(tag), null, "refs/tags/v2", "", "refs/tags/v2"},
		"nothing":                                       {null, null, "", "", ""},
		"nothing, where something was made of a branch": {text(main), text(main), "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := api.Deployment{
				SourceConfig:         api.SourceConfig{RepoBranch: optional(test.branch)},
				SourceRevisionConfig: api.SourceRevisionConfig{RepoRef: optional(test.ref)},
			}
			if diff := cmp.Diff(optional(test.want), trackedRef(test.prior, test.told, answer)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBuiltCommit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ ref, commit, want string }{
		"told":              {"main", sha, sha},
		"resolved":          {sha, "", sha},
		"both":              {strings.Repeat("a", 40), sha, sha},
		"neither":           {"main", "", ""},
		"a branch like one": {sha[:39] + "g", "", ""},
		"nothing":           {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := api.SourceRevisionConfig{RepoRef: optional(test.ref), RepoCommitSHA: optional(test.commit)}
			if diff := cmp.Diff(optional(test.want), builtCommit(answer)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRefuseNew expects new settings to be refused that the service refuses, and the same ones to be kept that a deployment has.
func TestRefuseNew(t *testing.T) {
	t.Parallel()
	const ref, command, url = "source_revision_config.repo_ref", "source_config.install_command", "source_config.custom_url"
	ofRef := func(ref string) model { return gitModel(nil, map[string]attr.Value{"repo_ref": text(ref)}) }
	image := func(name, value string) model { return imageModel(map[string]attr.Value{name: text(value)}) }
	repository := func(name, value string) model { return gitModel(map[string]attr.Value{name: text(value)}, nil) }
	for name, test := range map[string]struct {
		config, state model
		want          []string
	}{
		"a branch":                              {ofRef("main"), model{}, nil},
		"a new commit":                          {ofRef(sha), model{}, []string{"error " + ref + ": Commit in repo_ref"}},
		"another commit":                        {ofRef(strings.ToUpper(sha)), ofRef(sha), []string{"error " + ref + ": Commit in repo_ref"}},
		"a longer commit":                       {ofRef(sha + sha[:24]), ofRef("main"), []string{"error " + ref + ": Commit in repo_ref"}},
		"the same commit":                       {ofRef(sha), ofRef(sha), []string{"warning " + ref + ": Commit in repo_ref"}},
		"almost a commit":                       {ofRef(sha[1:]), model{}, nil},
		"a command of a repository":             {repository("install_command", "npm ci"), model{}, nil},
		"a command of an image":                 {image("install_command", "npm ci"), model{}, []string{"error " + command + ": Attribute of another source"}},
		"another command of an image":           {image("install_command", "npm ci"), image("install_command", "npm i"), []string{"error " + command + ": Attribute of another source"}},
		"the same command of an image":          {image("install_command", "npm ci"), image("install_command", "npm ci"), nil},
		"the same command, of another source":   {image("install_command", "npm ci"), repository("install_command", "npm ci"), []string{"error " + command + ": Attribute of another source"}},
		"a URL of an image":                     {image("custom_url", "https://a.example"), model{}, nil},
		"a URL of a repository":                 {repository("custom_url", "https://a.example"), model{}, []string{"error " + url + ": Attribute of another source"}},
		"the URL that the service has set":      {repository("custom_url", "https://a.example"), repository("custom_url", "https://a.example"), nil},
		"a command where the source is unknown": {withSource(image("install_command", "npm ci"), types.StringUnknown()), model{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, frameworktest.Lines(refuseNew(test.config, test.state))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func withSource(m model, source types.String) model {
	m.Source = source
	return m
}
