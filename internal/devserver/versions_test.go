package devserver

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// versions has the versions of each group of endpoints. Projects are a group of the product's, which the documents don't mention.
var versions = map[string]string{"deployments": "v2", "listeners": "v2", "auth": "v2", "integrations": "v1 v2", "deployment-logs": "v2", "projects": "v1"}

// TestPathsBeginWithAVersion checks the paths of the control plane in each dialect.
func TestPathsBeginWithAVersion(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`^/(v[12])/([a-z-]+)(/|$)`)
	for _, dialect := range api.Dialects {
		server, err := New(Config{Dialect: dialect})
		assert.Must(t, err)
		t.Cleanup(func() { _ = server.Close() })
		for _, e := range slices.Concat(server.control.Endpoints(), server.auth.Endpoints()) {
			if regexp.MustCompile("^/(agent-servers|install-links|uploads)/").MatchString(e.Path) {
				continue // The service has other hosts for them.
			}
			parts := pattern.FindStringSubmatch(e.Path)
			if len(parts) != 4 || !strings.Contains(versions[parts[2]], parts[1]) {
				t.Errorf("%s: %s is not below the version of its group", dialect.Name, e.Path)
			}
		}
	}
}
