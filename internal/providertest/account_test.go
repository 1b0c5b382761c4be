package providertest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestInstallation changes the environment, so it can't run in parallel.
func TestInstallation(t *testing.T) {
	tests := map[string]struct {
		environment map[string]string
		want        providertest.Account
		problem     string
	}{
		"nothing": {nil, providertest.Account{}, "no installation is named: set AGENTPLANE_BASE_URL"},
		"an address": {
			map[string]string{"AGENTPLANE_BASE_URL": "https://a.example.com/api-host/", "AGENTPLANE_API_KEY": "key", "LANGSMITH_API_KEY": "other"},
			providertest.Account{URL: "https://a.example.com/api-host", APIKey: "key", Dialect: api.Neutral}, "",
		},
		"a region": {
			map[string]string{
				"AGENTPLANE_DIALECT": "langsmith", "AGENTPLANE_REGION": "eu", "LANGSMITH_API_KEY": "key", "LANGSMITH_TENANT_ID": "workspace",
			},
			providertest.Account{URL: "https://eu.api.host.langchain.com", APIKey: "key", WorkspaceID: "workspace", Dialect: api.LangSmith}, "",
		},
		"ours before the product's": {
			map[string]string{
				"AGENTPLANE_DIALECT": "langsmith", "AGENTPLANE_REGION": "us", "AGENTPLANE_API_KEY": "key", "LANGSMITH_API_KEY": "other",
				"AGENTPLANE_WORKSPACE_ID": "workspace", "LANGSMITH_WORKSPACE_ID": "another",
			},
			providertest.Account{URL: "https://api.host.langchain.com", APIKey: "key", WorkspaceID: "workspace", Dialect: api.LangSmith}, "",
		},
		"a region without hosts": {
			map[string]string{"AGENTPLANE_REGION": "eu"}, providertest.Account{},
			`AGENTPLANE_REGION: the dialect "neutral" has no hosts in region "eu"`,
		},
		"a dialect nobody speaks": {
			map[string]string{"AGENTPLANE_DIALECT": "klingon", "AGENTPLANE_BASE_URL": "https://a.example.com"}, providertest.Account{},
			`AGENTPLANE_DIALECT: dialect "klingon" is unknown`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, variable := range os.Environ() {
				name, _, _ := strings.Cut(variable, "=")
				if strings.HasPrefix(name, "AGENTPLANE_") || strings.HasPrefix(name, "LANGSMITH_") {
					t.Setenv(name, "")
				}
			}
			for name, value := range test.environment {
				t.Setenv(name, value)
			}
			got, err := providertest.Installation()
			if test.problem != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.problem) {
					t.Fatalf("got error %v, want %q", err, test.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Dialect != test.want.Dialect {
				t.Errorf("the dialect is %q", got.Dialect.Name)
			}
			got.Dialect, test.want.Dialect = nil, nil
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
