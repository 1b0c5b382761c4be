package controlplane

import (
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// pushRequest is the body of POST /dev/push, which simulates a commit on a branch, or a new branch or tag.
type pushRequest struct {
	RepoURL    string               `json:"repo_url"`
	Ref        string               `json:"ref"`
	BuildError api.Optional[string] `json:"build_error,omitzero"` // What the builder says. Default: the commit can be built.
}

type pushAnswer struct {
	RepoCommitSHA string           `json:"repo_commit_sha"`
	Revisions     []pushedRevision `json:"revisions"`
}

type pushedRevision struct {
	DeploymentID string `json:"deployment_id"`
	RevisionID   string `json:"revision_id"`
}

// push moves the branch to a new commit and makes a revision of each deployment that tracks it.
func (s *Service) push(c *rest.Call, request pushRequest) (rest.Answer, error) {
	repo, ref := sameRepo(request.RepoURL), strings.TrimPrefix(request.Ref, "refs/heads/")
	if err := checkRef(ref); err != nil {
		return rest.Answer{}, err
	}
	known, err := c.Tx.HasRepository(c.WorkspaceID, "", repo)
	switch {
	case err != nil:
		return rest.Answer{}, err
	case !known:
		return rest.Answer{}, form.Missing("Repository %s not found: no integration of this workspace has it.", repo)
	}
	before, err := head(c, &repo, &ref)
	if err != nil {
		return rest.Answer{}, err
	}
	if before == nil {
		before = new(repo + " " + ref)
	}
	pushed := pushAnswer{RepoCommitSHA: commitAfter(*before), Revisions: []pushedRevision{}}
	if err := moveRef(c, repo, ref, store.Commit{SHA: pushed.RepoCommitSHA, BuildError: request.BuildError.Value}); err != nil {
		return rest.Answer{}, err
	}
	tracking, err := c.Tx.DeploymentsTracking(c.WorkspaceID, ref)
	if err != nil {
		return rest.Answer{}, err
	}
	for _, d := range tracking {
		if sameRepo(*d.RepoURL) != repo || going(d) {
			continue
		}
		if err := s.insertRevision(c, d, trackedConfig(d)); err != nil {
			return rest.Answer{}, err
		}
		d.UpdatedAt = c.Now
		if err := c.Tx.UpdateDeployment(d); err != nil {
			return rest.Answer{}, err
		}
		built, err := c.Tx.Deployment(c.WorkspaceID, d.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		pushed.Revisions = append(pushed.Revisions, pushedRevision{DeploymentID: d.ID, RevisionID: built.Latest.ID})
	}
	return rest.OK(pushed), nil
}
