package devserver

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

var pathParameter = regexp.MustCompile(`\{([a-z_]+)(?:\.\.\.)?\}`)

// describe answers with an OpenAPI document that is made of the routes. It has no schemas: it says what can be requested, but not with which
// bodies.
func (s *Server) describe(w http.ResponseWriter, r *http.Request) {
	paths := object{}
	for _, e := range rest.Join(slices.Concat(s.control.Endpoints(), s.auth.Endpoints(), s.tracing.Endpoints())) {
		path := e.Path
		if !e.Neutral {
			path = s.cfg.Dialect.Path(path)
		} else if !strings.HasPrefix(path, "/api/v") {
			continue // Another path of the same operation.
		}
		parameters := []object{}
		for _, name := range pathParameter.FindAllStringSubmatch(path, -1) {
			parameters = append(parameters, object{"name": name[1], "in": "path", "required": true, "schema": object{"type": "string"}})
		}
		item := object{}
		for _, method := range e.Allowed() {
			item[strings.ToLower(method)] = object{"parameters": parameters, "responses": object{"default": object{"description": "The answer."}}}
		}
		paths[strings.ReplaceAll(path, "...}", "}")] = item
	}
	s.rest.Send(w, r, rest.OK(object{"openapi": "3.1.0", "info": object{"title": "Dev server", "version": "0.1.0"}, "paths": paths}), api.Neutral)
}
