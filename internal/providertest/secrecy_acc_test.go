package providertest_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// The values that are looked for. Of those that are stored, the state is where they belong, and a plan.
const (
	keyCanary       = `canary-of-the-"key"<&>-value/0+0`
	writeOnlyCanary = `canary-of-a-"write-only"<é>-value/1+1`
	storedCanary    = `canary-of-a-"stored"<é>-value/2+2`
	nextCanary      = `canary-of-the-next-"write-only"<é>-value/3+3`
	tokenCanary     = `canary-of-an-"access-token"<é>-value/4+4`
)

// logBuffer is a log that may be written side by side.
type logBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(line)
}

func (b *logBuffer) content() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.Bytes())
}

// echo refuses requests, and repeats what they carry.
type echo struct {
	pass http.Handler

	mu     sync.Mutex
	method string
	left   int
}

// refuse begins with as many requests of a method.
func (e *echo) refuse(method string, times int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.method, e.left = method, times
}

func (e *echo) refuses(r *http.Request) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.Method != e.method || !strings.HasPrefix(r.URL.Path, "/v2/") || r.URL.Path == "/v2/auth/authenticate" || e.left == 0 {
		return false
	}
	e.left--
	return true
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if !e.refuses(r) {
		e.pass.ServeHTTP(w, r)
		return
	}
	detail := "Refused-as-sent: " + providertest.EchoOf(r.Header.Get("X-Api-Key"))
	for _, canary := range []string{writeOnlyCanary, storedCanary, nextCanary, tokenCanary} {
		if bytes.Contains(body, providertest.SecretForms(canary)["JSON"]) {
			detail = "Refused-as-sent: " + providertest.EchoOf(canary) + "; " + detail
		}
	}
	answer, _ := json.Marshal(map[string]string{"detail": detail}) // A text can be encoded.
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(answer) // The client may be gone.
}

// TestAccSecrecy looks for the provider's key and for the secrets of every resource in all that a CLI, the provider and the dev
// server write: what a person sees, also of refusals that repeat what was sent, logs at TRACE, state, plans and their JSON,
// generated configuration and results of queries.
func TestAccSecrecy(t *testing.T) {
	t.Parallel()
	var served logBuffer
	plane := providertest.NewDev(t, func(cfg *devserver.Config) {
		cfg.Rollout = 0
		cfg.Keys = append(cfg.Keys, devserver.Key{Value: keyCanary, Workspaces: []string{providertest.WorkspaceID}})
		cfg.Logger = slog.New(slog.NewTextHandler(&served, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	refusing := &echo{pass: plane.Service}
	listening := httptest.NewServer(refusing)
	t.Cleanup(listening.Close)
	plane.Setenv("AGENTPLANE_BASE_URL", listening.URL)
	plane.Setenv("AGENTPLANE_API_KEY", keyCanary)
	plane.Call("POST", "/v2/auth/providers", map[string]any{
		"provider_id": "tf-acc-logged-in", "name": "Logged in", "client_id": "client-3", "auth_url": "https://login.example.com/authorize",
		"token_url": "https://login.example.com/token",
	}, nil)
	plane.Call("POST", "/v2/auth/tokens/import", map[string]any{"provider_id": "tf-acc-logged-in", "access_token": tokenCanary}, nil)
	c := startCLI(t, plane)
	c.needs(11, 11) // Ephemeral variables, and arguments that are only written.
	trace := filepath.Join(t.TempDir(), "trace.log")
	c.environment = append(c.environment, "TF_LOG=TRACE", "TF_LOG_PATH="+trace, "TF_VAR_listener_id="+plane.ListenerID,
		"TF_VAR_k8s_namespace="+plane.K8sNamespace, "TF_VAR_stored="+storedCanary, "TF_VAR_write_only="+writeOnlyCanary)
	c.write("main.tf", readText(t, filepath.Join("testdata", "secrecy", "main.tf")))
	seen := ""
	apply := func(refused string, times int) {
		t.Helper()
		refusing.refuse(refused, times)
		told := c.run(min(times, 1), "apply", "-auto-approve")
		if strings.Count(told, "Refused-as-sent") < times {
			t.Errorf("the refusal of %s isn't shown:\n%s", refused, told)
		}
		seen += told
	}
	apply(http.MethodPost, 5)
	apply("", 0)
	c.environment = append(c.environment, "TF_VAR_write_only="+nextCanary)
	apply(http.MethodPatch, 2)
	seen += c.run(0, "plan", "-out=planned")
	shown := c.run(0, "show", "-json", "planned")
	seen += c.run(0, "apply", "planned")
	state := []byte(readText(t, filepath.Join(c.directory, "terraform.tfstate")))
	private, err := providertest.PrivateState(state)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{keyCanary, writeOnlyCanary, nextCanary, tokenCanary, storedCanary}
	unstored := all[:4]
	for where, find := range map[string]struct {
		content []byte
		has     string // What shows that it is the right place.
		not     []string
	}{
		"what a person sees":   {[]byte(seen), "Apply complete!", all},
		"the log":              {[]byte(readText(t, trace)), "control plane request", all},
		"the state":            {append(state, private...), string(providertest.SecretForms(storedCanary)["JSON"]), unstored},
		"the private state":    {private, "macs", all},
		"the plan's JSON":      {[]byte(shown), "resource_changes", unstored},
		"the plan":             {unzipped(t, filepath.Join(c.directory, "planned")), "tf-acc-secrecy", unstored},
		"the generated config": {c.generated(state), "agentplane_oauth_provider", all},
		"the query":            {queried(t, plane), "tf-acc-secrecy", all},
		"the requests seen":    {requestsSeen(plane), "/v2/auth/agents/assistant", all},
		"the dev server's log": {served.content(), "/v2/auth/providers", all},
	} {
		if !bytes.Contains(find.content, []byte(find.has)) {
			t.Errorf("%s doesn't show %q", where, find.has)
		}
		if err := providertest.NoneShown(where, find.content, find.not...); err != nil {
			t.Error(err)
		}
	}
}

// requestsSeen are those that the dev server shows, as data.
func requestsSeen(plane *providertest.Plane) []byte {
	var seen json.RawMessage
	plane.Call("GET", "/dev/requests", nil, &seen)
	return seen
}

// unzipped is everything in a saved plan.
func unzipped(t *testing.T, file string) []byte {
	t.Helper()
	archive, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	var all []byte
	for _, part := range archive.File {
		reader, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, content...)
	}
	return all
}

// generated is the configuration that the CLI writes to import all that the state has.
func (c *cli) generated(state []byte) []byte {
	c.t.Helper()
	var file struct {
		Resources []struct {
			Mode, Type, Name string
			Instances        []struct {
				Attributes map[string]any `json:"attributes"`
			}
		}
	}
	if err := json.Unmarshal(state, &file); err != nil {
		c.t.Fatal(err)
	}
	there := *c
	there.directory = c.t.TempDir()
	var main strings.Builder
	main.WriteString(`terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}
`)
	for _, r := range file.Resources {
		if r.Mode != "managed" {
			continue
		}
		attributes := r.Instances[0].Attributes
		id := attributes["id"]
		switch r.Type {
		case "agentplane_oauth_provider":
			id = attributes["provider_id"]
		case "agentplane_agent_provider_token", "agentplane_agent_connection":
			id = fmt.Sprint(attributes["agent_id"], "/", id)
		case "agentplane_llm_run":
			id = fmt.Sprint(attributes["project_id"], "/", id)
		}
		fmt.Fprintf(&main, "import {\n  to = %s.%s\n  id = %q\n}\n", r.Type, r.Name, id)
	}
	there.write("main.tf", main.String())
	told := there.run(1, "plan", "-generate-config-out=generated.tf") // The inputs of the run, which are needed, aren't written.
	return []byte(told + readText(c.t, filepath.Join(there.directory, "generated.tf")))
}

// queried are the results of terraform query, with the whole resources.
func queried(t *testing.T, plane *providertest.Plane) []byte {
	t.Helper()
	rpc := plane.RPC()
	var all []byte
	for _, typeName := range []string{"agentplane_deployment", "agentplane_listener", "agentplane_oauth_provider", "agentplane_model_price"} {
		found, diags := rpc.Query(tfprotov6.ListResourceRequest{TypeName: typeName, IncludeResource: true}, map[string]any{})
		rpc.OK(nil, diags)
		for _, result := range found {
			all = fmt.Append(all, result.DisplayName, string(result.Resource.MsgPack), string(result.Identity.IdentityData.MsgPack))
		}
	}
	return all
}
