package deployment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// TestWarnOfReleased expects a warning only if variables that the resource managed stay behind.
func TestWarnOfReleased(t *testing.T) {
	t.Parallel()
	prints := fingerprints{}.sent(secretsOf("A", "a", "B", "b"), map[string]types.String{"A": text("a"), "B": text("b")}, secretsOf("A", "a", "B", "b"))
	none := imageModel(nil)
	plain, secret := imageModel(nil), imageModel(nil)
	plain.Environment, secret.Secrets = frameworktest.StringMap("A", "a"), frameworktest.StringMap("B", "b")
	for name, test := range map[string]struct {
		planned, state model
		prints         fingerprints
		dialect        *api.Dialect
		want           []string
		says           []string
	}{
		"environment":           {none, plain, prints, api.Neutral, []string{"warning environment: Environment variables are kept"}, []string{"A, B", "environment = {}"}},
		"secrets":               {none, secret, prints, api.Neutral, []string{"warning secrets: Environment variables are kept"}, nil},
		"secrets_wo":            {none, none, prints, api.Neutral, []string{"warning secrets_wo: Environment variables are kept"}, nil},
		"the last one stays":    {none, plain, prints, api.LangSmith, []string{"warning environment: Environment variables are kept"}, []string{`{ UNUSED = "1" }`}},
		"gone at the service":   {none, plain, prints.holding(nil), api.Neutral, nil, nil},
		"of others":             {none, none, fingerprints{}.holding(secretsOf("A", "a")), api.Neutral, nil, nil},
		"still managed":         {secret, plain, prints, api.Neutral, nil, nil},
		"released already":      {none, none, prints.declaring(none), api.Neutral, nil, nil},
		"the service is silent": {none, plain, prints.sent(secretsOf("A", "a"), map[string]types.String{"A": text("a")}, nil), api.Neutral, []string{"warning environment: Environment variables are kept"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			diags := warnOfReleased(test.dialect, test.planned, test.state, test.prints)
			if diff := cmp.Diff(test.want, frameworktest.Lines(diags)); diff != "" {
				t.Error(diff)
			}
			for _, d := range diags {
				wantText(t, d.Detail(), test.says...)
			}
		})
	}
}

// TestWarnOfRemoved expects a warning if managing an environment for the first time removes variables set by others.
func TestWarnOfRemoved(t *testing.T) {
	t.Parallel()
	foreign := fingerprints{}.holding(secretsOf("A", "a", "B", "b", "C", "*****"))
	own := foreign
	own.Declared = []string{"A"}
	none, some, unknown, declared := imageModel(nil), imageModel(nil), imageModel(nil), imageModel(nil)
	some.Environment, unknown.Environment = frameworktest.StringMap("A", "a"), types.MapUnknown(types.StringType)
	declared.Environment, declared.EnvironmentOwnership = frameworktest.StringMap("A", "a"), text(ownershipDeclared)
	for name, test := range map[string]struct {
		planned, state model
		prints         fingerprints
		says           string
	}{
		"adopted":           {some, none, foreign, "doesn't set: B, C."},
		"not known":         {unknown, none, foreign, "may not set: A, B, C."},
		"owned from now on": {some, declared, own, "doesn't set: B, C."},
		"not managed":       {none, none, foreign, ""},
		"only declared":     {declared, none, foreign, ""},
		"drift":             {some, some, own, ""},
		"nothing is there":  {some, none, fingerprints{}.holding(nil), ""},
	} {
		t.Run(name, func(t *testing.T) {
			diags := warnOfRemoved(test.planned, test.state, test.prints)
			if len(diags) != min(len(test.says), 1) {
				t.Fatal(frameworktest.Lines(diags))
			}
			for _, d := range diags {
				if !strings.Contains(d.Detail(), test.says) {
					t.Errorf("detail = %s, want %q", d.Detail(), test.says)
				}
			}
		})
	}
}
