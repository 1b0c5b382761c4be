package deployment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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
