package client

import (
	"errors"
	"net/http"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestOtherDialect recognizes another dialect only by the names of sources and by the path of integrations.
func TestOtherDialect(t *testing.T) {
	t.Parallel()
	const theirs, ours = "Input should be 'internal_docker', 'external_docker' or 'github'", "Input should be 'git_host'"
	body, source, name := api.LocStep{Key: "body"}, api.LocStep{Key: "source"}, api.LocStep{Key: "name"}
	refused := func(message string, loc ...api.LocStep) Error {
		return Error{Status: http.StatusUnprocessableEntity, Validation: []api.ValidationError{{Loc: loc, Msg: message}}}
	}
	integrations := api.Neutral.Path("/v1/integrations/git_host/install")
	for what, test := range map[string]struct {
		err  Error
		want *api.Dialect
	}{
		"names of sources":             {refused(theirs, body, source), api.LangSmith},
		"without the body":             {refused(theirs, source), api.LangSmith},
		"of another field":             {refused(theirs, body, name), nil},
		"of a field of the source":     {refused(theirs, body, source, name), nil},
		"of nothing":                   {refused(theirs), nil},
		"names of both dialects":       {refused(theirs+". "+ours, body, source), nil},
		"no names":                     {refused("Field required", body, source), nil},
		"no integrations":              {Error{Status: http.StatusNotFound, Detail: noRoute, Path: integrations}, api.LangSmith},
		"no integration":               {Error{Status: http.StatusNotFound, Detail: "Integration not found", Path: integrations}, nil},
		"integrations can't be listed": {Error{Status: http.StatusForbidden, Detail: noRoute, Path: integrations}, nil},
		"no deployments":               {Error{Status: http.StatusNotFound, Detail: noRoute, Path: "/v2/deployments"}, nil},
	} {
		if got := test.err.otherDialect(api.Neutral); got != test.want {
			t.Errorf("%s: %v, want %v", what, got, test.want)
		}
	}
}

// TestOtherDialect_tracing expects the suggestion only from the control plane: the tracing service has no dialects.
func TestOtherDialect_tracing(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, answerWith(http.StatusUnprocessableEntity, `{"detail":[{"loc":["body","source"],"msg":"Input should be 'github'"}]}`))
	_, _, created := c.CreateDeployment(t.Context(), api.DeploymentCreateRequest{Name: "chat"})
	logged := c.LogRun(t.Context(), api.RunIngest{})
	for err, want := range map[error]*api.Dialect{created: api.LangSmith, logged: nil} {
		if e, ok := errors.AsType[*Error](err); !ok || e.OtherDialect != want {
			t.Errorf("%v suggests %v, want %v", err, e.OtherDialect, want)
		}
	}
}
