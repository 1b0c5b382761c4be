package deployment

import (
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

var commit = regexp.MustCompile(`^[0-9a-f]{40}$`)

// trackedRef is the ref that a deployment was made from. Some services return the commit that they resolved it to, with
// the branch beside it. Nothing shows which tag a commit was resolved from, and older installations don't report the
// branch either: the known ref is then kept. told is the previously reported branch, if any: if only a commit is reported
// now, the branch is no longer tracked.
func trackedRef(prior, told types.String, answer api.Deployment) *string {
	ref, branch := answer.SourceRevisionConfig.RepoRef, answer.SourceConfig.RepoBranch
	if branch != nil {
		return branch
	}
	resolved := ref != nil && commit.MatchString(*ref)
	if resolved && prior.ValueString() != "" && (isTag(prior) || told.ValueString() == "") {
		return prior.ValueStringPointer()
	}
	return ref
}

func isTag(ref types.String) bool { return strings.HasPrefix(ref.ValueString(), "refs/tags/") }

// builtCommit is the commit that the newest revision was built from.
func builtCommit(answer api.SourceRevisionConfig) *string {
	if answer.RepoCommitSHA == nil && answer.RepoRef != nil && commit.MatchString(*answer.RepoRef) {
		return answer.RepoRef
	}
	return answer.RepoCommitSHA
}
