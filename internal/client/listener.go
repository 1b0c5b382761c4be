package client

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const listenersPath = "/v2/listeners"

// ListListeners lists the listeners of the workspace.
func (c *Client) ListListeners(ctx context.Context) iter.Seq2[api.Listener, error] {
	return items(pages(ctx, c, listenersPath, nil, pageSize, func(l api.Listener) string { return l.ID }), all)
}

// GetListener reads one listener.
func (c *Client) GetListener(ctx context.Context, id string) (*api.Listener, error) {
	path, err := pathTo(listenersPath, id)
	if err != nil {
		return nil, err
	}
	listener, _, err := fetch(ctx, c, request{method: http.MethodGet, path: path}, func(l *api.Listener) error {
		if l.ID == "" {
			return errors.New("the answer is not a listener: it has no id")
		}
		return nil
	})
	return listener, err
}
