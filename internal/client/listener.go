package client

import (
	"context"
	"iter"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const listenersPath = "/v2/listeners"

// CreateListener registers a listener. If the reply is lost, it looks for the listener by its compute_id and returns it if it is
// provably the result of this call; otherwise the error is an *OutcomeUnknownError.
func (c *Client) CreateListener(ctx context.Context, req api.ListenerCreateRequest) (*api.Listener, error) {
	return create(ctx, c, request{method: http.MethodPost, path: listenersPath, body: req, merges: listenerMerges}, func(l *api.Listener) error {
		return isCreated("listener", "compute_id", req.ComputeID, l.ID, l.ComputeID)
	}, creating[api.Listener]{
		kind: listenerKind, name: req.ComputeID, unique: true,
		list:  c.ListListeners,
		match: func(l api.Listener) bool { return l.ComputeID == req.ComputeID },
		id:    func(l api.Listener) string { return l.ID },
	})
}

// listenerMerges includes compute_config, in which a service may fill in the namespaces of a new listener.
const listenerMerges = 2

// GetListener reads one listener.
func (c *Client) GetListener(ctx context.Context, id string) (*api.Listener, error) {
	listener, _, err := fetch(ctx, c, request{method: http.MethodGet, path: pathTo(listenersPath, id)}, isListener(id))
	return listener, err
}

// FindListener is GetListener for callers that act on a missing listener: it counts as not found only if the list agrees.
func (c *Client) FindListener(ctx context.Context, id string) (*api.Listener, error) {
	listener, err := c.GetListener(ctx, id)
	if !IsNotFound(err) {
		return listener, err
	}
	return confirm(err, c.ListListeners(ctx), func(l api.Listener) bool { return SameID(l.ID, id) })
}

// ListListeners lists the listeners of the workspace.
func (c *Client) ListListeners(ctx context.Context) iter.Seq2[api.Listener, error] {
	return c.PageListeners().all(ctx)
}

// PageListeners reads the listeners of the workspace page by page.
func (c *Client) PageListeners() *Pager[api.Listener] {
	return &Pager[api.Listener]{client: c, path: listenersPath, size: pageSize, id: func(l api.Listener) string { return l.ID }}
}

// PatchListener changes a listener, and returns it as the service then shows it. If it doesn't show the change, the error is an
// *OutcomeUnknownError.
func (c *Client) PatchListener(ctx context.Context, id string, req api.ListenerPatchRequest) (*api.Listener, error) {
	return changing[api.Listener]{
		request: request{method: http.MethodPatch, path: pathTo(listenersPath, id), body: req, merges: listenerMerges},
		kind:    listenerKind, id: id, check: isListener(id),
		read: func(ctx context.Context) (*api.Listener, error) { return c.GetListener(ctx, id) },
	}.prove(ctx, c)
}

// DeleteListener deletes a listener; the service refuses while deployments use it. If the listener doesn't exist, that is an
// error, unless an earlier attempt of this call deleted it.
func (c *Client) DeleteListener(ctx context.Context, id string) error {
	deletion := request{method: http.MethodDelete, path: pathTo(listenersPath, id)}
	return removeProved(ctx, c, deletion, deletion.read(), c.ListListeners(ctx), func(l api.Listener) bool { return SameID(l.ID, id) })
}

// isListener checks that the response is the listener with that ID.
func isListener(id string) func(*api.Listener) error {
	return func(l *api.Listener) error { return isAsked("listener", id, l.ID) }
}
