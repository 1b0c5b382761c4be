package deployment_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/config"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccClocks creates and updates a deployment through a proxy that sets Date by a clock of its own, with and without lost replies:
// one creation, one change, two revisions.
func TestAccClocks(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{-time.Hour, -8 * time.Second, 8 * time.Second, time.Hour} {
		for how, faults := range map[string][]devserver.Fault{
			"answered": nil, "lost": {{Match: creation, Drop: true}, {Match: "PATCH /v2/deployments/{id}", Drop: true}},
		} {
			t.Run(how+"/"+ahead.String(), func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t)
				proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					plane.Service.ServeHTTP(dated{w, plane.Clock.Now().Add(ahead)}, r)
				}))
				t.Cleanup(proxy.Close)
				plane.Setenv("AGENTPLANE_BASE_URL", proxy.URL)
				first := step(plane, "fail_image", nil)
				first.PreConfig = plane.Arm(faults...)
				second := step(plane, "fail_image", config.Variables{"image_uri": config.StringVariable("registry.example.com/agents/chat:2.0.0")})
				second.Check = all(healthy(plane), expectRevisions(plane, 2))
				tryAll(t, plane, first, second)
				for method, pattern := range map[string]string{http.MethodPost: creation, http.MethodPatch: changing} {
					if sent := plane.Requests(method, pattern[len(method)+1:]); len(sent) != 1 {
						t.Errorf("%s was sent %d times, want once", pattern, len(sent))
					}
				}
			})
		}
	}
}

// dated sets the Date of a response.
type dated struct {
	http.ResponseWriter
	at time.Time
}

func (d dated) WriteHeader(status int) {
	d.Header().Set("Date", d.at.Format(http.TimeFormat))
	d.ResponseWriter.WriteHeader(status)
}
