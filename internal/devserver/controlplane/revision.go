package controlplane

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func listRevisions(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	statuses, window := p.List("status"), p.Page()
	var reconciled *bool
	if c.Dialect.LangSmithAPI {
		reconciled = p.OptionalFlag("remote_reconciled")
	}
	d, err := deployment(c, p)
	if err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.Revisions(c.WorkspaceID, d.ID, store.RevisionFilter{Statuses: statuses, Reconciled: reconciled}, window)
	return rest.OK(rest.ListOf(c.Dialect, form.Collect(rows, newRevision), window)), err
}

func getRevision(_ *rest.Call, row store.Revision) (rest.Answer, error) {
	return rest.OK(newRevision(row)), nil
}

func namedRevision(c *rest.Call) (store.Revision, error) {
	return revision(c, c.Params())
}

// revision reads the revision named by the path, after all parameters were validated.
func revision(c *rest.Call, p *rest.Params) (store.Revision, error) {
	id := p.PathID("revision_id")
	d, err := deployment(c, p)
	if err != nil {
		return store.Revision{}, err
	}
	return revisionWith(c, d.ID, id)
}

func revisionWith(c *rest.Call, deploymentID, id string) (store.Revision, error) {
	row, err := c.Tx.Revision(c.WorkspaceID, deploymentID, id)
	return row, rest.OrMissing(err, "Revision ID %s not found.", id)
}

func newRevision(row store.Revision) api.Revision {
	return api.Revision{
		ID:                   row.ID,
		CreatedAt:            form.DateTime(row.CreatedAt),
		UpdatedAt:            form.DateTime(row.UpdatedAt),
		Status:               api.RevisionStatus(row.Status),
		Source:               api.Source(row.Source),
		SourceRevisionConfig: newSourceRevisionConfig(row),
		StatusMessage:        row.StatusMessage,
	}
}

func newSourceRevisionConfig(row store.Revision) api.SourceRevisionConfig {
	config := api.SourceRevisionConfig{
		RepoRef:           row.RepoRef,
		GraphConfigPath:   row.GraphConfigPath,
		ImageURI:          row.ImageURI,
		RepoCommitSHA:     row.RepoCommitSHA,
		SourceTarballPath: row.SourceTarballPath,
	}
	_ = readColumn(row.TrackedPackages, &config.TrackedPackages) // It is what newColumn has encoded.
	for _, tracked := range config.TrackedPackages {
		if version, is := strings.CutPrefix(tracked, "deepagents:"); is {
			config.DeepagentsVersion = &version
		}
	}
	return config
}

func packagesColumn(packages []string) *string {
	if packages == nil {
		return nil
	}
	return newColumn(packages)
}

// insertRevision starts a rollout of the commit that the ref points to now, or of the image.
func (s *Service) insertRevision(c *rest.Call, d store.Deployment, config api.SourceRevisionConfig) error {
	config.RepoCommitSHA = nil
	return s.insertBuiltRevision(c, d, config)
}

// insertBuiltRevision starts a rollout of the commit that an earlier revision was built from, if it has found any.
func (s *Service) insertBuiltRevision(c *rest.Call, d store.Deployment, config api.SourceRevisionConfig) error {
	if config.RepoCommitSHA == nil {
		commit, err := head(c, d.RepoURL, config.RepoRef)
		if err != nil {
			return err
		}
		config.RepoCommitSHA = commit
	}
	fault, err := s.faultOf(c, d, config)
	if err != nil {
		return err
	}
	row := store.Revision{
		ID:                uuid.NewString(),
		DeploymentID:      d.ID,
		Source:            d.Source,
		RepoRef:           config.RepoRef,
		GraphConfigPath:   config.GraphConfigPath,
		ImageURI:          config.ImageURI,
		RepoCommitSHA:     config.RepoCommitSHA,
		ImageVersion:      imageVersion(config.ImageURI),
		SourceTarballPath: config.SourceTarballPath,
		TrackedPackages:   packagesColumn(config.TrackedPackages),
		InstallCommand:    d.InstallCommand,
		BuildCommand:      d.BuildCommand,
		Rollout:           s.cfg.Rollout,
		Fault:             fault,
		CreatedAt:         c.Now,
		UpdatedAt:         c.Now,
	}
	course, err := s.courseOf(row)
	if err != nil {
		return err
	}
	row.Status = string(course.stages()[0].Status)
	row.DueAt = course.endOf(c.Now.Add(-time.Microsecond)) // A rollout without a duration is due at once.
	return c.Tx.InsertRevision(row)
}

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
