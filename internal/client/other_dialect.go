package client

import (
	"net/http"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// otherDialect returns the dialect of the service if it seems to differ from d: a refusal of a source lists the service's names, and
// the path of integrations depends on the dialect. It returns nil if nothing suggests another dialect.
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

// quotes reports whether a message contains d's name of a source.
func quotes(message string, d *api.Dialect) bool {
	return slices.ContainsFunc(d.SourceNames()[:len(api.Sources)], func(name string) bool {
		return strings.Contains(message, "'"+name+"'")
	})
}
