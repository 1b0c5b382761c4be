package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const (
	gitHostPath      = "/v1/integrations/git_host"
	integrationsPath = gitHostPath + "/install"

	installationsPath = "/v2/integrations/github/installations"
)

// ListIntegrations lists the Git hosting integrations of the workspace.
func (c *Client) ListIntegrations(ctx context.Context) iter.Seq2[api.Integration, error] {
	return newerOrOlder(ctx, installationsPath, "integrations", Collection[api.Integration]{
		client: c, path: integrationsPath, whole: true, id: func(i api.Integration) string { return i.ID },
	}.Pages())
}

// ListRepositories lists the repositories that an integration can access.
func (c *Client) ListRepositories(ctx context.Context, integrationID string) iter.Seq2[api.Repository, error] {
	id := func(r api.Repository) string {
		if r.ID == 0 {
			return ""
		}
		return strconv.FormatInt(r.ID, 10)
	}
	older := Collection[api.Repository]{client: c, path: pathTo(gitHostPath, integrationID, "repos"), whole: true, id: id}
	return newerOrOlder(ctx, pathTo(installationsPath, integrationID, "repositories"), "repositories", older.Pages())
}

// newerOrOlder lists what the service has at path, where it has that operation, and otherwise what it has in the list of version 1, a bare array.
func newerOrOlder[T any](ctx context.Context, path, noun string, older *Pager[T]) iter.Seq2[T, error] {
	if !older.client.Dialect().LangSmithAPI {
		return older.all(ctx)
	}
	return func(yield func(T, error) bool) {
		all, err := fetchCursored(ctx, older.client, maxPages*pageSize, noun, func(cursor string, _ int) request {
			return request{method: http.MethodGet, path: path, query: parameters(map[string]string{"page_size": strconv.Itoa(pageSize), "cursor": cursor})}
		}, listFormat[T]{check: hasKey(older.id), missing: errNoItems})
		if hasNoRoute(err) {
			older.all(ctx)(yield)
			return
		}
		Items(all, err)(yield)
	}
}

var errNoItems = errors.New(`the response has no list "items"; check base_url`)
