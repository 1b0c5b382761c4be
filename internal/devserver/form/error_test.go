package form_test

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

func TestError(t *testing.T) {
	t.Parallel()
	at := func(steps ...api.LocStep) []api.LocStep { return append([]api.LocStep{api.Key("body")}, steps...) }
	for want, err := range map[string]*form.Error{
		"Project 'a%s' not found.": form.Missing("Project '%s' not found.", "a%s"),
		"'source' is 'git_host'.":  form.Broken("'%s' is '%s'.", form.Term("source"), api.Source("git_host")),
		"Field required":           form.OfFields(api.ValidationError{Loc: at(), Msg: "Field required"}),
		"secrets[1].name: Field required; name: Input should be a valid string": form.OfFields(
			api.ValidationError{Loc: at(api.Key("secrets"), api.Index(1), api.Key("name")), Msg: "Field required"},
			api.ValidationError{Loc: at(api.Key("name")), Msg: "Input should be a valid string"},
		),
	} {
		assert.Same(t, "error", want, err.Error())
	}
}
