package deployment

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// commit matches the IDs of commits, SHA-1 and SHA-256.
var commit = regexp.MustCompile(`^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$`)

// refuseCommit refuses a new repo_ref that is a commit: the service builds branches and tags. One that the deployment already has was
// accepted once, or is what the service has resolved a tag to.
func refuseCommit(planned, state types.String) diag.Diagnostics {
	if !commit.MatchString(planned.ValueString()) {
		return nil
	}
	at := path.Root("source_revision_config").AtName("repo_ref")
	text := fmt.Sprintf("%s is %q, which is the ID of a commit, but the service builds branches (main) and tags (refs/tags/v1.2.3). Tag "+
		"the commit, and set repo_ref to the tag. To return to what an earlier revision was built from, use the action "+
		"agentplane_roll_back.", at, planned.ValueString())
	if planned.Equal(state) {
		return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, "Commit in repo_ref", text)}
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Commit in repo_ref", text)}
}

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
