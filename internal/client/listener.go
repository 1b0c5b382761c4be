package client

import (
	"context"
	"iter"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const listenersPath = "/v2/listeners"

var listenerKind = kind{"a listener", "compute_id"}

// listenerMerges includes compute_config, in which a service may fill in the namespaces of a new listener.
const listenerMerges = 2

func (c *Client) listeners() collection[api.Listener] {
	return collection[api.Listener]{client: c, kind: listenerKind, path: listenersPath, id: listenerID, list: c.ListListeners}
}

func listenerID(l api.Listener) string { return l.ID }

// ListListeners lists the listeners of the workspace.
func (c *Client) ListListeners(ctx context.Context) iter.Seq2[api.Listener, error] {
	return c.PageListeners().all(ctx)
}

// PageListeners reads the listeners of the workspace page by page.
func (c *Client) PageListeners() *Pager[api.Listener] { return pages(c, listenersPath, listenerID) }

// GetListener reads one listener.
func (c *Client) GetListener(ctx context.Context, id string) (*api.Listener, error) {
	return c.listeners().get(ctx, id)
}

// FindListener is GetListener for callers that act on a missing listener: it counts as not found only if the list agrees.
func (c *Client) FindListener(ctx context.Context, id string) (*api.Listener, error) {
	return c.listeners().find(ctx, id)
}

// CreateListener registers a listener.
func (c *Client) CreateListener(ctx context.Context, req api.ListenerCreateRequest) (*api.Listener, error) {
	created, _, err := creation[api.Listener]{
		collection: c.listeners(), name: req.ComputeID, unique: true,
		request: request{method: http.MethodPost, path: listenersPath, body: req, merges: listenerMerges},
		accept:  func(l *api.Listener) error { return checkName(listenerKind, req.ComputeID, l.ID, l.ComputeID) },
		match:   func(l api.Listener) bool { return l.ComputeID == req.ComputeID },
	}.create(ctx)
	return created, err
}

// PatchListener changes a listener, and returns it as the service then shows it.
func (c *Client) PatchListener(ctx context.Context, id string, req api.ListenerPatchRequest) (*api.Listener, error) {
	return update[api.Listener]{
		collection: c.listeners(), objectID: id,
		request: request{method: http.MethodPatch, path: pathTo(listenersPath, id), body: req, merges: listenerMerges},
	}.send(ctx)
}

// DeleteListener deletes a listener; the service refuses while deployments use it.
func (c *Client) DeleteListener(ctx context.Context, id string) error {
	return c.listeners().delete(ctx, id, http.MethodGet)
}
