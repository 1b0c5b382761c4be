package devserver

import (
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// pushRequest is the body of POST /dev/push: a commit arrives on a branch.
type pushRequest struct {
	RepoURL string `json:"repo_url"`
	Ref     string `json:"ref"`
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
func (s *controlPlane) push(c *call) (answer, error) {
	request, err := decode[pushRequest](c.body, api.Neutral)
	if err != nil {
		return answer{}, err
	}
	repo, ref := sameRepo(request.RepoURL), strings.TrimPrefix(request.Ref, "refs/heads/")
	head, err := s.headOf(c, &repo, &ref)
	if err != nil {
		return answer{}, err
	}
	pushed := pushAnswer{RepoCommitSHA: commitAfter(*head), Revisions: []pushedRevision{}}
	if err := c.tx.SetRepoHead(c.workspaceID, repo, ref, pushed.RepoCommitSHA); err != nil {
		return answer{}, err
	}
	tracking, err := c.tx.DeploymentsTracking(c.workspaceID, ref)
	if err != nil {
		return answer{}, err
	}
	for _, d := range tracking {
		if sameRepo(*d.RepoURL) != repo || going(d) {
			continue
		}
		if err := s.insertRevision(c, d, newSourceRevisionConfig(d.Latest)); err != nil {
			return answer{}, err
		}
		d.UpdatedAt = c.now
		if err := c.tx.UpdateDeployment(d); err != nil {
			return answer{}, err
		}
		built, err := c.tx.Deployment(c.workspaceID, d.ID)
		if err != nil {
			return answer{}, err
		}
		pushed.Revisions = append(pushed.Revisions, pushedRevision{DeploymentID: d.ID, RevisionID: built.Latest.ID})
	}
	return ok(pushed), nil
}
