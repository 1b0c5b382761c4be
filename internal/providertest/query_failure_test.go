package providertest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccQueries_failing_next queries each list resource, as its example does, while the service refuses, answers nothing, or the user
// presses Ctrl-C. The command fails, and says why.
func TestAccQueries_failing_next(t *testing.T) {
	t.Parallel()
	queries, err := filepath.Glob(filepath.Join(root, "examples", "list-resources", "*", "*.tfquery.hcl"))
	if err != nil || len(queries) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for name, test := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request)
		// interrupt: the user presses Ctrl-C during the first request.
		interrupt bool
		want      string
	}{
		"refused": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"detail":"Not yours"}`)
		}, want: "Not yours. Status: 403"},
		"timed out":   {answer: stall, want: "nothing within request_timeout (1s)"},
		"interrupted": {answer: stall, interrupt: true, want: "was interrupted"},
	} {
		for _, query := range queries {
			t.Run(name+"/"+filepath.Base(filepath.Dir(query)), func(t *testing.T) {
				t.Parallel()
				c := startCLI(t, providertest.NewDev(t))
				c.needsTerraform(14)
				asked := make(chan struct{})
				var once sync.Once
				failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					once.Do(func() { close(asked) })
					test.answer(w, r)
				}))
				t.Cleanup(failing.Close)
				timeout := "1s"
				if test.interrupt {
					timeout = "1m"
				}
				c.environment = append(c.environment, "AGENTPLANE_BASE_URL="+failing.URL, "AGENTPLANE_MAX_RETRIES=0", "AGENTPLANE_REQUEST_TIMEOUT="+timeout)
				c.write("main.tf", "terraform {\n  required_providers {\n    agentplane = {\n      source = \"agentplane/agentplane\"\n    }\n  }\n}\n\nprovider \"agentplane\" {}\n")
				c.write("main.tfquery.hcl", readText(t, query))
				command := c.command("query")
				var output strings.Builder
				command.Stdout, command.Stderr = &output, &output
				began := time.Now()
				if err := command.Start(); err != nil {
					t.Fatal(err)
				}
				if test.interrupt {
					<-asked
					if err := command.Process.Signal(os.Interrupt); err != nil {
						t.Error(err)
					}
				}
				err := command.Wait()
				if told := strings.Join(strings.Fields(output.String()), " "); err == nil || !strings.Contains(told, test.want) {
					t.Errorf("ended with %v after %s, want %q in:\n%s", err, time.Since(began), test.want, output.String())
				}
			})
		}
	}
}

// TestQuery_interrupted: an interrupted list fails as a whole, because the protocol's server would drop it without a word.
func TestQuery_interrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	rpc := providertest.NewFrom(t, api.Neutral, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		stall(w, r)
	})).RPC()
	lists, ok := rpc.Server.(tfprotov6.ListResourceServer)
	if !ok {
		t.Fatal("the provider offers no list resources")
	}
	_, err := lists.ListResource(ctx, &tfprotov6.ListResourceRequest{TypeName: "agentplane_listener", Config: rpc.Value(map[string]any{}), Limit: 10})
	if err == nil || !strings.Contains(err.Error(), "the query of agentplane_listener was interrupted: context canceled") {
		t.Errorf("error = %v", err)
	}
}

// stall answers nothing until the client has given up.
func stall(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
