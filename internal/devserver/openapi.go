package devserver

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// openAPI is an OpenAPI document without schemas: what can be requested, but not with which bodies.
type openAPI struct {
	OpenAPI string                                 `json:"openapi"`
	Info    openAPIInfo                            `json:"info"`
	Paths   map[string]map[string]openAPIOperation `json:"paths"`
}

type openAPIInfo struct {
	Title   string `json:"title"`
	Version string `json:"version"`
}

type openAPIOperation struct {
	Parameters []openAPIParameter           `json:"parameters"`
	Responses  map[string]map[string]string `json:"responses"`
}

type openAPIParameter struct {
	Name     string            `json:"name"`
	In       string            `json:"in"`
	Required bool              `json:"required"`
	Schema   map[string]string `json:"schema"`
}

var pathParameter = regexp.MustCompile(`\{([a-z_]+)(?:\.\.\.)?\}`)

// describe answers with a document that is made of the routes.
func (s *Server) describe(w http.ResponseWriter, r *http.Request) {
	document := openAPI{OpenAPI: "3.1.0", Info: openAPIInfo{"Dev server", "0.1.0"}, Paths: map[string]map[string]openAPIOperation{}}
	for _, e := range rest.Join(slices.Concat(s.control.Endpoints(), s.auth.Endpoints(), s.tracing.Endpoints())) {
		path := e.Path
		if !e.Neutral {
			path = s.cfg.Dialect.Path(path)
		} else if !strings.HasPrefix(path, "/api/v") {
			continue // Another path of the same operation.
		}
		operation := openAPIOperation{Parameters: []openAPIParameter{}, Responses: map[string]map[string]string{"default": {"description": "The answer."}}}
		for _, name := range pathParameter.FindAllStringSubmatch(path, -1) {
			operation.Parameters = append(operation.Parameters, openAPIParameter{name[1], "path", true, map[string]string{"type": "string"}})
		}
		item := map[string]openAPIOperation{}
		for _, method := range slices.Concat(slices.Collect(maps.Keys(e.Methods)), slices.Collect(maps.Keys(e.Streams)), slices.Collect(maps.Keys(e.Outside))) {
			item[strings.ToLower(method)] = operation
		}
		document.Paths[strings.ReplaceAll(path, "...}", "}")] = item
	}
	s.rest.Send(w, r, rest.OK(document), api.Neutral)
}
