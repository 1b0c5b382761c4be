package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// isServiceError reports whether a body has the form of the service's errors. Gateways use others, such as {"message": "…"}.
func isServiceError(body []byte) bool {
	var e struct {
		Detail, Error json.RawMessage
	}
	return json.Unmarshal(body, &e) == nil && (e.Detail != nil || e.Error != nil)
}

// servedBy is what served an API. One API may be served by several programs.
type servedBy struct {
	tracing bool
	product string
}

// isForeignServer says whether a program has never served the API, while others have.
func (c *Client) isForeignServer(tracing bool, product string) bool {
	others := false
	for by := range c.servers.Range {
		known, _ := by.(servedBy)
		if known == (servedBy{tracing, product}) {
			return false
		}
		others = others || known.tracing == tracing
	}
	return product != "" && others
}

// judge translates a response, and returns an error unless it is what the request asks for.
func (c *Client) judge(r request, a *httpResponse) error {
	a.body = r.translated(c.cfg.Dialect, a.body)
	switch {
	case !isSuccess(a.status) || a.status != http.StatusNoContent && a.isHTML():
		return c.refused(r, *a)
	case r.accept == nil:
		return nil
	case !r.tracing && api.TooDeep(a.body):
		return a.failureWith(r, fmt.Sprintf("the response is nested more than %d levels deep", api.MaxDepth))
	}
	switch err := r.accept(a.body); {
	case err == nil:
		if product := a.product(); product != "" {
			c.servers.LoadOrStore(servedBy{r.tracing, product}, true)
		}
		return nil
	case errors.Is(err, errBrokenOff):
		return err
	default:
		return a.failureWith(r, err.Error())
	}
}

// refused returns the error for a response without success, with what may explain it.
func (c *Client) refused(r request, a httpResponse) error {
	e := a.failure(r)
	if e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden {
		e.Server = mask.Snippet(a.mask(mask.OneLine(a.header.Get(serverHeader))))
		e.Intercepted = !isServiceError(a.body) || c.isForeignServer(r.tracing, a.product())
	}
	if !r.tracing && e.isForeign() {
		e.SuggestedBaseURL = c.suggestedBaseURL
	}
	if !r.tracing {
		e.OtherDialect = e.otherDialect(c.cfg.Dialect)
	}
	return e
}
