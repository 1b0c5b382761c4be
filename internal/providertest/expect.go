package providertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// Words matches an error whose text contains the words in that order, however it is wrapped and framed.
func Words(words string) *regexp.Regexp {
	fields := strings.Fields(words)
	for i, field := range fields {
		fields[i] = regexp.QuoteMeta(field)
	}
	return regexp.MustCompile(strings.Join(fields, `[\s│]+`))
}

// Writes checks all write requests below a path, each as its method and its body.
type Writes struct {
	Plane *Plane
	Path  string
	// Normal normalizes equivalent bodies. Default: bodies are compared as they were sent.
	Normal func(body string) string

	seen int
}

// Expect compares the writes since the last check.
func (w *Writes) Expect(want ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		var got []string
		for _, request := range w.Plane.Server.Requests() {
			if request.Method != http.MethodGet && strings.HasPrefix(request.Path, w.Path) {
				got = append(got, strings.TrimSpace(request.Method+" "+string(request.Body)))
			}
		}
		since := got[w.seen:]
		w.seen = len(got)
		if diff := cmp.Diff(w.normal(want), w.normal(since)); diff != "" {
			return fmt.Errorf("other writes were sent (-want +got):\n%s", diff)
		}
		return nil
	}
}

// Pass skips writes of the test itself.
func (w *Writes) Pass(count int) { w.seen += count }

func (w *Writes) normal(writes []string) []string {
	all := []string{}
	for _, write := range writes {
		if method, body, sent := strings.Cut(write, " "); sent && w.Normal != nil {
			write = method + " " + w.Normal(body)
		}
		all = append(all, write)
	}
	return all
}

// NormalJSON returns JSON with sorted members.
func NormalJSON(body string) string {
	var decoded any
	if json.Unmarshal([]byte(body), &decoded) != nil {
		return body
	}
	encoded, err := json.Marshal(decoded)
	if err != nil {
		return body
	}
	return string(encoded)
}

// ReadFailures are the answers that leave something unread, and what the person is told. What is worth repeating is repeated
// four times.
var ReadFailures = []struct {
	Fault devserver.Fault
	Want  string
}{
	{devserver.Fault{Status: 401, Detail: "Invalid API key"}, `Invalid API key. Status: 401`},
	{devserver.Fault{Status: 401}, `Check api_key (AGENTPLANE_API_KEY)`},
	{devserver.Fault{Status: 403, Detail: "No access"}, `No access. Status: 403`},
	{devserver.Fault{Status: 403}, `Check that the API key has this permission in the workspace, and check workspace_id (AGENTPLANE_WORKSPACE_ID)`},
	{devserver.Fault{Status: 500, Detail: "boom", Times: 5}, `boom. Status: 500`},
	{devserver.Fault{Status: 404, HTML: "<title>Lost</title>"}, `returned a web page ("Lost") instead of a response of the control plane.`},
	{devserver.Fault{Status: 200, HTML: "<p>Sign in"}, `Check base_url (AGENTPLANE_BASE_URL)`},
}

// TestReadFailures applies a step once for every answer to a GET of path that leaves something unread.
func TestReadFailures(t *testing.T, plane *Plane, path string, read resource.TestStep) {
	t.Helper()
	var steps []resource.TestStep
	for _, failure := range ReadFailures {
		failure.Fault.Match = http.MethodGet + " " + path
		read.PreConfig, read.ExpectError = plane.Arm(failure.Fault), Words(failure.Want)
		steps = append(steps, read)
	}
	Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
}
