package client

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestTierNotTaken expects an error if the response to a change doesn't contain the change.
func TestTierNotTaken(t *testing.T) {
	t.Parallel()
	const id = "11111111-1111-4111-8111-111111111111"
	for body, want := range map[string]string{
		`{"id":"` + id + `","name":"chat","deployment_tier":"SERVERLESS_S"}`:                          "another deployment_tier",
		`{"id":"` + id + `","name":"chat"}`:                                                           "another deployment_tier",
		`{"id":"22222222-2222-4222-8222-222222222222","name":"chat","deployment_tier":"DEDICATED_S"}`: "another deployment",
		`{}`: "no id",
	} {
		c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		})
		if _, err := c.PatchDeploymentTier(t.Context(), id, api.TierDedicatedS); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("response %s: error = %v, want %q", body, err, want)
		}
	}
}
