package controlplane

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// gitHost is the host of the made-up repositories; the name is reserved for examples.
const gitHost = "https://git.example.com/"

// listRepositories returns a bare array without paging, as the service does: those of an integration of one of the git host's two apps.
func listRepositories(forge bool) rest.Handler {
	return func(c *rest.Call) (rest.Answer, error) {
		rows, err := repositoriesOf(c, c.Params(), forge)
		return rest.OK(form.Collect(rows, newRepository)), err
	}
}

// repositoriesOf reads those of the integration named by the path, after all parameters were validated.
func repositoriesOf(c *rest.Call, p *rest.Params, forge bool) ([]store.Repository, error) {
	id := p.PathID("integration_id")
	if err := p.Err(); err != nil {
		return nil, err
	}
	integration, err := c.Tx.Integration(c.WorkspaceID, id)
	if err == nil && integration.Forge != forge {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, rest.OrMissing(err, "Integration ID %s not found.", id)
	}
	return c.Tx.Repositories(c.WorkspaceID, id)
}

// repositoryRequest is a repository in POST /dev/integrations.
type repositoryRequest struct {
	Name          string                     `json:"name"`
	URL           api.Optional[string]       `json:"url,omitzero"`            // Default: made of the account and the name.
	DefaultBranch api.Optional[string]       `json:"default_branch,omitzero"` // Default: main. It need not be among the refs.
	Refs          api.Optional[[]refRequest] `json:"refs,omitzero"`
}

// refRequest is a branch or a tag of a repository.
type refRequest struct {
	Ref        string               `json:"ref"`                  // As in repo_ref.
	CommitSHA  api.Optional[string] `json:"commit_sha,omitzero"`  // Default: made of the names.
	BuildError api.Optional[string] `json:"build_error,omitzero"` // What the builder says. Default: the commit can be built.
}

func (r repositoryRequest) name() string { return r.Name }

// addRepositories gives an integration repositories of the account in which it is installed.
func addRepositories(c *rest.Call, integration store.Integration, repositories []repositoryRequest) error {
	for _, r := range repositories {
		row := store.Repository{
			ID:            gitHostNumber(),
			IntegrationID: integration.ID,
			Owner:         integration.Name,
			Name:          r.Name,
			URL:           gitHost + integration.Name + "/" + r.Name,
			DefaultBranch: "main",
		}
		api.Set(&row.URL, r.URL)
		api.Set(&row.DefaultBranch, r.DefaultBranch)
		row.URL = sameRepo(row.URL)
		if err := c.Tx.InsertRepository(row); err != nil {
			return err
		}
		given, _ := r.Refs.Get()
		for _, ref := range append([]refRequest{{Ref: row.DefaultBranch}}, given...) {
			if err := checkRef(ref.Ref); err != nil {
				return err
			}
			sha := commitAfter(row.URL + " " + ref.Ref)
			api.Set(&sha, ref.CommitSHA)
			if err := moveRef(c, row.URL, ref.Ref, store.Commit{SHA: sha, BuildError: ref.BuildError.Value}); err != nil {
				return err
			}
		}
	}
	return nil
}

// moveRef makes a ref of a repository point to a commit.
func moveRef(c *rest.Call, repo, ref string, commit store.Commit) error {
	commit.WorkspaceID, commit.RepoURL = c.WorkspaceID, repo
	if err := c.Tx.SetCommit(commit); err != nil {
		return err
	}
	return c.Tx.SetRepoHead(c.WorkspaceID, repo, ref, commit.SHA)
}

// checkRef refuses what is neither a bare branch name nor the full ref of a tag.
func checkRef(ref string) error {
	name := strings.TrimPrefix(ref, tagPrefix)
	if name != "" && !strings.HasPrefix(name, "refs/") {
		return nil
	}
	return form.Broken("Source configuration error: 'source_revision_config.repo_ref' '%s' is neither the name of a branch, such as "+
		"main, nor the full ref of a tag, such as refs/tags/v1.2.3.", ref)
}

// checkNewRef checks a ref that a deployment doesn't have yet.
func checkNewRef(current, wanted api.Deployment) error {
	had, ref := current.SourceRevisionConfig.RepoRef, wanted.SourceRevisionConfig.RepoRef
	if ref == nil || had != nil && *had == *ref {
		return nil
	}
	return checkRef(*ref)
}

// head returns the commit that a ref points to; nil without a repository or if there is no such ref.
func head(c *rest.Call, repoURL, ref *string) (*string, error) {
	if repoURL == nil || ref == nil {
		return nil, nil
	}
	sha, err := c.Tx.RepoHead(c.WorkspaceID, sameRepo(*repoURL), *ref)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &sha, err
}

// unbuildable reports why a revision can't be built from its repository or archive; empty if it can, or has none.
func unbuildable(c *rest.Call, d store.Deployment, config api.SourceRevisionConfig) (string, error) {
	if path := config.SourceTarballPath; path != nil {
		uploaded, err := c.Tx.Uploaded(c.WorkspaceID, *path)
		if err != nil || uploaded {
			return "", err
		}
		return "Can't fetch " + *path + ": nothing was uploaded there.", nil
	}
	if d.RepoURL == nil || d.IntegrationID == nil || config.RepoRef == nil {
		return "", nil
	}
	repo := sameRepo(*d.RepoURL)
	accessible, err := c.Tx.HasRepository(c.WorkspaceID, *d.IntegrationID, repo)
	switch {
	case err != nil:
		return "", err
	case !accessible:
		return "Can't fetch " + repo + ": the integration has no such repository.", nil
	case config.RepoCommitSHA == nil:
		return "Can't fetch " + *config.RepoRef + " of " + repo + ": there is no such branch or tag.", nil
	}
	reason, err := c.Tx.BuildError(c.WorkspaceID, repo, *config.RepoCommitSHA)
	if err != nil || reason == nil {
		return "", err
	}
	return *reason, nil
}

// commitAfter makes up the commit that follows another one.
func commitAfter(seed string) string {
	sum := sha1.Sum([]byte(seed))
	return hex.EncodeToString(sum[:])
}

// sameRepo returns a canonical form of a repository's URL.
func sameRepo(url string) string { return strings.TrimSuffix(strings.TrimSuffix(url, "/"), ".git") }

func newRepository(row store.Repository) api.Repository {
	return api.Repository{
		HostIntegrationID: row.IntegrationID,
		ID:                row.ID,
		Name:              row.Name,
		Owner:             row.Owner,
		URL:               row.URL,
		DefaultBranch:     row.DefaultBranch,
	}
}
