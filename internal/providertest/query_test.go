package providertest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// failing are ways in which a command fails while a service doesn't answer as it should.
var failing = map[string]struct {
	answer http.HandlerFunc
	// interrupt: the user presses Ctrl-C during the first request.
	interrupt bool
	says      string
}{
	"refused": {answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"detail":"Not yours"}`)
	}, says: "Not yours. Status: 403"},
	"timed out":   {answer: stall, says: "nothing within request_timeout (1s)"},
	"interrupted": {answer: stall, interrupt: true, says: "Interrupt received"},
}

// stall answers nothing until the client has given up, which a server sees once it has read the body.
func stall(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// fails runs a command in each of these ways, and expects it to say why it has failed.
func fails(t *testing.T, name string, files map[string]string, arguments ...string) {
	t.Helper()
	for how, failure := range failing {
		t.Run(how+"/"+name, func(t *testing.T) {
			t.Parallel()
			c := startCLI(t, providertest.NewDev(t))
			c.needsTerraform(14)
			asked := make(chan struct{})
			var once sync.Once
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				once.Do(func() { close(asked) })
				failure.answer(w, r)
			}))
			t.Cleanup(service.Close)
			timeout := "1s"
			if failure.interrupt {
				timeout = "20s"
			}
			c.environment = append(c.environment, "AGENTPLANE_BASE_URL="+service.URL, "AGENTPLANE_DIALECT=langsmith", "AGENTPLANE_MAX_RETRIES=0", "AGENTPLANE_REQUEST_TIMEOUT="+timeout)
			for file, content := range files {
				c.write(file, content)
			}
			command := c.command(arguments...)
			var output strings.Builder
			command.Stdout, command.Stderr = &output, &output
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- command.Wait() }()
			if failure.interrupt {
				select {
				case <-asked:
					_ = command.Process.Signal(os.Interrupt) // If it has ended already, it hasn't said so.
				case err := <-ended:
					ended <- err
				}
			}
			err := <-ended
			// Terraform drops what an interrupted action returns, and stops no provider while an apply still plans.
			applies := failure.interrupt && arguments[0] == "apply"
			told := strings.Join(strings.Fields(output.String()), " ")
			if err == nil && !applies || !strings.Contains(told, failure.says) ||
				failure.interrupt && strings.Contains(told, "nothing within") && (!applies || !strings.Contains(told, "execution halted")) {
				t.Errorf("ended with %v, want an error and %q in:\n%s", err, failure.says, output.String())
			}
		})
	}
}

var (
	actionBlock   = regexp.MustCompile(`(?s)action "(\w+)" "(\w+)" \{\n.*?\n\}\n`)
	itsDeployment = regexp.MustCompile(`agentplane_deployment\.\w+\.id`)
)

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
