package client

import (
	"net/http"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// otherDialect is the dialect that the service speaks if it seems to be another one than d: a refused source is answered with
// the names that the service has for them, and the path of integrations depends on the dialect. Nil where nothing tells.
func (e *Error) otherDialect(d *api.Dialect) *api.Dialect {
	for _, other := range api.Dialects {
		switch {
		case other == d:
		case e.Status == http.StatusNotFound && e.Detail == noRoute && strings.HasPrefix(e.Path, d.Path("/v1/integrations/git_host/")):
			return other
		case slices.ContainsFunc(e.Validation, func(problem api.ValidationError) bool {
			last := len(problem.Loc) - 1
			return last >= 0 && problem.Loc[last].Key == "source" && quotes(problem.Msg, other) && !quotes(problem.Msg, d)
		}):
			return other
		}
	}
	return nil
}

// quotes tells whether a message has a name that d has for a source.
func quotes(message string, d *api.Dialect) bool {
	return slices.ContainsFunc(d.SourceNames()[:len(api.Sources)], func(name string) bool {
		return strings.Contains(message, "'"+name+"'")
	})
}
