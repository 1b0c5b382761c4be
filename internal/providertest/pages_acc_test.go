package providertest_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// shownConfiguration is a configuration on a page.
var shownConfiguration = regexp.MustCompile(`(?s)data-copy="copy">(import \{.*?)</pre>`)

// TestAccPages_configuration imports everything that pages show, with the configuration that they show for it: the plan is empty.
func TestAccPages_configuration(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	deployment := deployed(plane)
	registered(plane)
	plane.Call("POST", "/v2/auth/providers", map[string]any{
		"provider_id": "issues", "name": "Issues", "client_id": "agents", "client_secret": "the-clients-secret", "uses_pkce": true,
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token", "provider_type": "slack",
		"token_endpoint_auth_method": "client_secret_basic", "code_challenge_method": "plain",
		"authorization_params": map[string]any{"prompt": "consent"}, "allowed_redirect_uris": []string{"https://example.com/back"},
	}, nil)
	connected(plane)
	priced(plane)
	plane.Call("POST", "/api/v1/model-price-map", map[string]any{
		"name": "3rd ${model}", "match_pattern": "^third-\\d$", "match_path": []string{"model"}, "prompt_cost": 2e-7, "completion_cost": "0.00000100",
		"start_time": "2026-01-01T00:00:00Z", "prompt_token_threshold": 200000, "completion_cost_details": map[string]any{"reasoning": 1e-6},
	}, nil)
	c := startCLI(t, plane)
	var all []string
	for _, page := range []string{"deployments/" + deployment, "listeners", "prices", "oauth"} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/ui/"+page, http.NoBody)
		request.SetBasicAuth("anybody", providertest.APIKey)
		shown := httptest.NewRecorder()
		plane.Server.ServeHTTP(shown, request)
		found := shownConfiguration.FindAllStringSubmatch(shown.Body.String(), -1)
		if len(found) == 0 {
			t.Errorf("%s shows no configuration: status %d", page, shown.Code)
		}
		for _, configuration := range found {
			all = append(all, html.UnescapeString(configuration[1]))
		}
	}
	text := strings.Join(all, "\n")
	c.write("main.tf", text)
	c.write("versions.tf", "terraform {\n  required_providers {\n    agentplane = { source = \"agentplane/agentplane\" }\n  }\n}\n")
	const want = "Plan: 8 to import, 0 to add, 0 to change, 0 to destroy."
	if planned := c.shell("terraform plan"); !strings.Contains(planned, want) {
		t.Errorf("the plan doesn't say %q:\n%s\n%s", want, planned, text)
	}
}
