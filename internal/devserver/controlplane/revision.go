package controlplane

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func (s *Service) listRevisions(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	statuses, window := p.List("status"), p.Page()
	deployment, err := s.deployment(c, p)
	if err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.Revisions(c.WorkspaceID, deployment.ID, statuses, window)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(rest.ListOf(c.Dialect, rest.Collect(rows, newRevision), window)), nil
}

func (s *Service) getRevision(c *rest.Call) (rest.Answer, error) {
	row, err := s.revision(c, rest.NewParams(c.Request))
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(newRevision(row)), nil
}

// revision reads the revision named by the path, after all parameters were validated.
func (s *Service) revision(c *rest.Call, p *rest.Params) (store.Revision, error) {
	id := p.PathID("revision_id")
	deployment, err := s.deployment(c, p)
	if err != nil {
		return store.Revision{}, err
	}
	return s.revisionWith(c, deployment.ID, id)
}

func (s *Service) revisionWith(c *rest.Call, deploymentID, id string) (store.Revision, error) {
	row, err := c.Tx.Revision(c.WorkspaceID, deploymentID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, revisionNotFound(id)
	}
	return row, err
}

func newRevision(row store.Revision) api.Revision {
	return api.Revision{
		ID:                   row.ID,
		CreatedAt:            rest.DateTime(row.CreatedAt),
		UpdatedAt:            rest.DateTime(row.UpdatedAt),
		Status:               api.RevisionStatus(row.Status),
		Source:               api.Source(row.Source),
		SourceRevisionConfig: newSourceRevisionConfig(row),
		StatusMessage:        row.StatusMessage,
	}
}

func newSourceRevisionConfig(row store.Revision) api.SourceRevisionConfig {
	return api.SourceRevisionConfig{
		RepoRef:           row.RepoRef,
		GraphConfigPath:   row.GraphConfigPath,
		ImageURI:          row.ImageURI,
		RepoCommitSHA:     row.RepoCommitSHA,
		SourceTarballPath: row.SourceTarballPath,
	}
}

// insertRevision starts a rollout of the commit that the ref points to now, or of the image.
func (s *Service) insertRevision(c *rest.Call, d store.Deployment, config api.SourceRevisionConfig) error {
	commit, err := s.headOf(c, d.RepoURL, config.RepoRef)
	if err != nil {
		return err
	}
	config.RepoCommitSHA = commit
	return s.insertBuiltRevision(c, d, config)
}

// insertBuiltRevision starts a rollout of a given commit.
func (s *Service) insertBuiltRevision(c *rest.Call, d store.Deployment, config api.SourceRevisionConfig) error {
	fault, err := s.rolloutFault(api.Source(d.Source), c.WorkspaceID)
	if err != nil {
		return err
	}
	return c.Tx.InsertRevision(store.Revision{
		ID:                uuid.NewString(),
		DeploymentID:      d.ID,
		Source:            d.Source,
		RepoRef:           config.RepoRef,
		GraphConfigPath:   config.GraphConfigPath,
		ImageURI:          config.ImageURI,
		RepoCommitSHA:     config.RepoCommitSHA,
		ImageVersion:      imageVersion(config.ImageURI),
		SourceTarballPath: config.SourceTarballPath,
		Status:            string(steps[api.Source(d.Source)][0].status),
		Rollout:           s.cfg.Rollout,
		Fault:             fault,
		CreatedAt:         c.Now,
		UpdatedAt:         c.Now,
	})
}

// headOf returns the commit that a ref points to; nil without a repository. The commit of a ref that was never pushed to is
// derived from its name, so that building it again builds the same.
func (s *Service) headOf(c *rest.Call, repoURL, ref *string) (*string, error) {
	if repoURL == nil || ref == nil {
		return nil, nil
	}
	repo := sameRepo(*repoURL)
	sha, err := c.Tx.RepoHead(c.WorkspaceID, repo, *ref)
	if errors.Is(err, store.ErrNotFound) {
		sha, err = commitAfter(repo+" "+*ref), nil
	}
	return &sha, err
}

// commitAfter makes up the commit that follows another one.
func commitAfter(seed string) string {
	sum := sha1.Sum([]byte(seed))
	return hex.EncodeToString(sum[:])
}

// sameRepo returns a canonical form of a repository's URL.
func sameRepo(url string) string { return strings.TrimSuffix(strings.TrimSuffix(url, "/"), ".git") }

// imageVersion returns the tag of an image; nil if it has none.
func imageVersion(uri *string) *string {
	if uri == nil {
		return nil
	}
	name, _, _ := strings.Cut(*uri, "@")                                      // Without the digest,
	_, tag, tagged := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":") // and without a registry's port.
	if !tagged {
		return nil
	}
	return &tag
}

func revisionNotFound(id string) *rest.Error {
	return rest.NewError(http.StatusNotFound, "Revision ID %s not found.", id)
}
