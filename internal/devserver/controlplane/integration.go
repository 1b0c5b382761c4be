package controlplane

import (
	"errors"
	"math/rand/v2"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// listIntegrations returns a bare array without paging, as the service does: the integrations of one of the git host's two apps.
func listIntegrations(forge bool) rest.Handler {
	return func(c *rest.Call) (rest.Answer, error) {
		rows, err := c.Tx.Integrations(c.WorkspaceID, forge)
		return rest.OK(form.Collect(rows, newIntegration)), err
	}
}

// integrationRequest is the body of POST /dev/integrations.
type integrationRequest struct {
	ID   api.Optional[api.UUID] `json:"id,omitzero"` // Default: chosen by the server.
	Name string                 `json:"name"`
	// Repositories defaults to a few made-up ones.
	Repositories api.Optional[[]repositoryRequest] `json:"repositories,omitzero"`
	// Forge registers an installation of the second app of the git host.
	Forge api.Optional[bool] `json:"forge,omitzero"`
	// InstallationID is the git host's number. Default: chosen by the server.
	InstallationID api.Optional[int64] `json:"installation_id,omitzero"`
}

func createIntegration(c *rest.Call, request integrationRequest) (rest.Answer, error) {
	row, err := addIntegration(c, request)
	return rest.Created(newIntegration(row)), err
}

// EnsureIntegration registers an integration with a few repositories unless one with that name exists.
func EnsureIntegration(c *rest.Call, name string) (store.Integration, error) {
	return ensureIntegration(c, integrationRequest{Name: name})
}

func ensureIntegration(c *rest.Call, request integrationRequest) (store.Integration, error) {
	row, err := c.Tx.IntegrationNamed(c.WorkspaceID, request.Name)
	if errors.Is(err, store.ErrNotFound) {
		return addIntegration(c, request)
	}
	return row, err
}

// longestIntegration is the length of the longest name of an integration, which is part of the URLs of its repositories.
const longestIntegration = 255

func addIntegration(c *rest.Call, request integrationRequest) (store.Integration, error) {
	if length := utf8.RuneCountInString(request.Name); length > longestIntegration {
		return store.Integration{}, form.Broken("'name' has %d characters; at most %d are allowed.", length, longestIntegration)
	}
	_, err := c.Tx.IntegrationNamed(c.WorkspaceID, request.Name)
	if err := rest.OrTaken(err, "An integration named '%s' already exists.", request.Name); err != nil {
		return store.Integration{}, err
	}
	repositories, given := request.Repositories.Get()
	if !given {
		repositories = defaultRepositories
	}
	if name, twice := firstDuplicate(repositories, repositoryRequest.name); twice {
		return store.Integration{}, form.Broken("'repositories' has the name '%s' more than once.", name)
	}
	row := store.Integration{
		ID:             uuid.NewString(),
		WorkspaceID:    c.WorkspaceID,
		InstallationID: gitHostNumber(),
		Name:           request.Name,
	}
	api.Set(&row.ID, asText(request.ID))
	api.Set(&row.Forge, request.Forge)
	api.Set(&row.InstallationID, request.InstallationID)
	if err := c.Tx.InsertIntegration(row); err != nil {
		return row, err
	}
	return row, addRepositories(c, row, repositories)
}

// gitHostNumber is an ID that the git host would assign; it has no meaning here.
func gitHostNumber() int64 { return 10_000_000 + rand.Int64N(1<<50) }

func newIntegration(row store.Integration) api.Integration {
	return api.Integration{ID: row.ID, InstallationID: row.InstallationID, Name: row.Name}
}

// defaultRepositories are those of an integration that is registered without any.
var defaultRepositories = []repositoryRequest{
	{Name: "chat", Refs: api.Some(defaultRefs)},
	{Name: "research-agent", Refs: api.Some(defaultRefs)},
	{Name: "support-agent", Refs: api.Some(defaultRefs), DefaultBranch: api.Some("trunk")},
}

// defaultRefs are the refs of these repositories, in addition to the default branch.
var defaultRefs = []refRequest{
	{Ref: "release"}, {Ref: "next"}, {Ref: "refs/tags/v1.0.0"}, {Ref: "refs/tags/v1.1.0"},
	{Ref: "broken", BuildError: api.Some("npm error: Missing script: \"build\"")},
}
