package client

import (
	"context"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const listenersPath = "/v2/listeners"

var listenerKind = kind{"a listener", "compute_id"}

// listenerMerges includes compute_config, in which a service may fill in the namespaces of a new listener.
const listenerMerges = 2

// Listeners are the listeners of the workspace. The service refuses to delete one while deployments use it.
func (c *Client) Listeners() Deletable[api.Listener] {
	return Deletable[api.Listener]{Collection: Collection[api.Listener]{
		client: c, kind: listenerKind, path: listenersPath, id: func(l api.Listener) string { return l.ID },
	}, proof: http.MethodGet}
}

// CreateListener registers a listener.
func (c *Client) CreateListener(ctx context.Context, req api.ListenerCreateRequest) (*api.Listener, error) {
	created, _, err := creation[api.Listener]{
		Collection: c.Listeners().Collection, name: req.ComputeID, unique: true,
		request: request{method: http.MethodPost, path: listenersPath, body: req, merges: listenerMerges},
		accept:  func(l *api.Listener) error { return checkName(listenerKind, req.ComputeID, l.ID, l.ComputeID) },
		match:   func(l api.Listener) bool { return l.ComputeID == req.ComputeID },
	}.create(ctx)
	return created, err
}

// PatchListener changes a listener, and returns it as the service then shows it.
func (c *Client) PatchListener(ctx context.Context, id string, req api.ListenerPatchRequest) (*api.Listener, error) {
	return update[api.Listener]{
		Collection: c.Listeners().Collection, objectID: id,
		request: request{method: http.MethodPatch, path: pathTo(listenersPath, id), body: req, merges: listenerMerges},
	}.send(ctx)
}
