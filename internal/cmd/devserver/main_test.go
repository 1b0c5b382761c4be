package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// asCommand makes the test binary run as the command itself, so that tests can kill a real process.
const asCommand = "DEVSERVER_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process is a running command.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	lines  []string // The lines of standard output up to "ready".
	url    string
	key    string
}

func startProcess(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, stderr: &bytes.Buffer{}}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.CommandContext(t.Context(), self, append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	p.cmd.Env = append(os.Environ(), asCommand+"=1")
	p.cmd.Stderr = p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() })
	for out := bufio.NewScanner(stdout); out.Scan(); {
		p.lines = append(p.lines, out.Text())
		if out.Text() == "ready" {
			p.url = strings.TrimPrefix(p.lines[0], "listening on ")
			for _, line := range p.lines {
				if value, is := strings.CutPrefix(line, "export AGENTPLANE_API_KEY="); is {
					p.key = strings.Trim(value, "'")
				}
			}
			return p
		}
	}
	t.Fatalf("the command ended before it was ready: %s", p.stderr)
	return nil
}

// end sends a signal and waits for the process.
func (p *process) end(signal os.Signal) error {
	p.t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		p.t.Fatal(err)
	}
	return p.cmd.Wait()
}

// do sends JSON and decodes the response.
func (p *process) do(method, path string, body any, status int) map[string]any {
	p.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, bytes.NewReader(encoded))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("X-Api-Key", p.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	received, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if response.StatusCode != status {
		p.t.Fatalf("%s %s: status %d, want %d: %s", method, path, response.StatusCode, status, received)
	}
	var answer map[string]any
	if len(received) > 0 {
		if err := json.Unmarshal(received, &answer); err != nil {
			p.t.Fatal(err)
		}
	}
	return answer
}

func TestSeedPrintsWhatAShellTakes(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "-seed")
	if first := p.lines[0]; !strings.HasPrefix(first, "listening on http://127.0.0.1:") {
		t.Errorf("first line = %q, want the listening address", first)
	}
	script := strings.Join(p.lines[1:len(p.lines)-1], "\n") + `
		printf '%s\n' "$AGENTPLANE_BASE_URL" "$AGENTPLANE_API_KEY" "$AGENTPLANE_WORKSPACE_ID" "$TF_VAR_k8s_namespace"
		printf '%s\n' "$TF_VAR_listener_id" "$TF_VAR_integration_id"`
	shell := exec.CommandContext(t.Context(), "sh", "-eu", "-c", script)
	shell.Env = []string{}
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	want := []string{p.url, p.key, devserver.DefaultWorkspaceID, "agents"}
	if diff := cmp.Diff(want, got[:len(want)]); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	p.do(http.MethodGet, "/v2/listeners/"+got[4], nil, http.StatusOK)
	if len(got) != 6 || got[5] == "" {
		t.Errorf("values = %v, want 6 with the integration ID last", got)
	}
}

// TestFixturesAndOwnKey starts with the fixtures of the guide and a data file: their objects and keys are there, and the generated key is
// the same after a restart.
func TestFixturesAndOwnKey(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/dev-server.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(guide), "### Fixtures")
	_, after, _ = strings.Cut(after, "<<'EOF'\n")
	document, _, found := strings.Cut(after, "EOF\n")
	if !found {
		t.Fatal("the guide has no JSON document below Fixtures")
	}
	directory := t.TempDir()
	fixtures := filepath.Join(directory, "fixtures.json")
	if err := os.WriteFile(fixtures, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, "-fixtures", fixtures, "-api-key", "mine="+devserver.DefaultWorkspaceID)
	for _, p.key = range []string{"mine", "ci-key"} {
		list := p.do(http.MethodGet, "/v2/deployments", nil, http.StatusOK)["resources"].([]any)
		if len(list) != 1 || list[0].(map[string]any)["status"] != "READY" {
			t.Errorf("deployments = %v, want the one of the fixtures, deployed", list)
		}
	}
	p.key = ""
	p.do(http.MethodGet, "/readyz", nil, http.StatusOK)
	data := filepath.Join(directory, "plane.db")
	var keys []string
	for range 2 {
		p := startProcess(t, "-seed", "-data", data)
		keys = append(keys, p.key)
		p.do(http.MethodGet, "/v2/deployments", nil, http.StatusOK)
		if err := p.end(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}
	if keys[0] != keys[1] || keys[0] == "" {
		t.Errorf("keys = %q, want the same one twice", keys)
	}
}

// TestSignalWithConnections checks that the command ends well, and that neither a connection without a request nor an idle one delays that.
func TestSignalWithConnections(t *testing.T) {
	t.Parallel()
	p := startProcess(t)
	if diff := cmp.Diff([]string{"listening on " + p.url, "ready"}, p.lines); diff != "" {
		t.Errorf("standard output (-want +got):\n%s", diff)
	}
	silent, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	p.do(http.MethodGet, "/healthz", nil, http.StatusOK) // Leaves an idle connection.
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Errorf("after SIGTERM, the command ended with %v, want no error: %s", err, p.stderr)
	}
	if log := p.stderr.String(); !strings.Contains(log, "shutting down") || strings.Contains(log, "cut off") {
		t.Errorf("the command didn't shut down, or waited for idle connections: %s", log)
	}
}

// TestSignalWithRequest checks that a request that doesn't end is cut off, and that the command exits with 0.
func TestSignalWithRequest(t *testing.T) {
	t.Parallel()
	p := startProcess(t)
	stuck, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close()
	if _, err := io.WriteString(stuck, "POST /runs HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stuck).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("first line = %q, %v; want 100 Continue", line, err)
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Errorf("after SIGTERM, the command ended with %v, want no error: %s", err, p.stderr)
	}
	if !strings.Contains(p.stderr.String(), "cut off") {
		t.Errorf("standard error doesn't contain \"cut off\": %s", p.stderr)
	}
}

// TestMetricsListener checks that metrics are served on an address of their own, and only there.
func TestMetricsListener(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	p := startProcess(t, "-metrics", address)
	p.do(http.MethodGet, "/metrics", nil, http.StatusNotFound)
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) { // It is served soon after "ready".
		response, err := http.Get("http://" + address + "/metrics") //nolint:noctx // It ends with the process.
		if err == nil {
			text, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if want := `agentplane_http_requests_total{method="GET",route="unserved",status="4xx"} 1`; err != nil || !strings.Contains(string(text), want) {
				t.Errorf("metrics = %s, %v; want %s", text, err, want)
			}
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal(err)
		}
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Errorf("after SIGTERM, the command ended with %v, want no error: %s", err, p.stderr)
	}
}

// TestSecondSignal checks that a server that drains isn't ready but serves, and that a second signal ends it at once, with 0.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "-drain-delay", "1h")
	p.do(http.MethodGet, "/readyz", nil, http.StatusOK)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		response, err := http.Get(p.url + "/readyz") //nolint:noctx // It ends with the process.
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode == http.StatusServiceUnavailable {
			if want := "{\"reason\":\"The server is shutting down.\",\"status\":\"unavailable\"}\n"; string(answer) != want || err != nil {
				t.Errorf("answer = %s, %v; want %s", answer, err, want)
			}
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal("a minute after SIGTERM, the server is ready")
		}
	}
	p.do(http.MethodGet, "/healthz", nil, http.StatusOK)
	p.do(http.MethodGet, "/v2/deployments", nil, http.StatusOK)
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Errorf("after the second SIGTERM, the command ended with %v, want no error: %s", err, p.stderr)
	}
}

// TestSecondServer checks that a second server on the same file fails and names the address of the first, and that a killed server doesn't keep the file.
func TestSecondServer(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "plane.db")
	first := startProcess(t, "-data", data)
	err := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-data", data}, io.Discard, io.Discard)
	if want := "in use by the server at " + first.url; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("second server: error = %v, want %q", err, want)
	}
	first.do(http.MethodGet, "/v2/deployments", nil, http.StatusOK)
	if err := first.end(syscall.SIGKILL); err == nil {
		t.Fatal("the process exited with 0, want it killed")
	}
	startProcess(t, "-data", data)
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() })
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"argument":          {[]string{"serve"}, `unexpected argument "serve"`},
		"flag":              {[]string{"-port", "1"}, "flag provided but not defined: -port"},
		"key alone":         {[]string{"-api-key", "secret"}, "want KEY=workspace[,workspace]"},
		"workspace alone":   {[]string{"-api-key", "=" + devserver.DefaultWorkspaceID}, "want KEY=workspace[,workspace]"},
		"no workspace":      {[]string{"-api-key", "secret="}, "want KEY=workspace[,workspace]"},
		"bad workspace":     {[]string{"-api-key", "secret=team"}, `workspace "team" is not a UUID`},
		"user alone":        {[]string{"-user", "ada"}, "want KEY=user"},
		"no user":           {[]string{"-api-key", "k=" + devserver.DefaultWorkspaceID, "-user", "k="}, "want KEY=user"},
		"user of no key":    {[]string{"-api-key", "k=" + devserver.DefaultWorkspaceID, "-user", "hidden=ada"}, `to user "ada" is not a key of -api-key`},
		"user of any key":   {[]string{"-seed", "-user", "hidden=ada"}, "is not a key of -api-key"},
		"negative rollout":  {[]string{"-rollout", "-1s"}, "rollout -1s is negative"},
		"retain":            {[]string{"-retain", "month"}, "invalid duration"},
		"retain days":       {[]string{"-retain", "1.5d"}, "want a number of days, such as 30d"},
		"negative retain":   {[]string{"-retain", "-1h"}, "retain -1h0m0s is negative"},
		"max-bytes":         {[]string{"-max-bytes", "2GB"}, "want a size, such as 500MiB or 2GiB"},
		"large max-bytes":   {[]string{"-max-bytes", "9999999999TiB"}, "want a size, such as 500MiB or 2GiB"},
		"no max-bytes":      {[]string{"-max-bytes", "0"}, "want a size, such as 500MiB or 2GiB"},
		"metrics":           {[]string{"-metrics", "9090"}, "want host:port"},
		"metrics' address":  {[]string{"-metrics", busy.Addr().String()}, "address already in use"},
		"log level":         {[]string{"-log-level", "all"}, "use one of debug, access, info, warn, error"},
		"dialect":           {[]string{"-dialect", "klingon"}, "use one of neutral, langsmith"},
		"log format":        {[]string{"-log-format", "xml"}, "use one of text, json"},
		"negative lag":      {[]string{"-lag", "-1s"}, "lag -1s is negative"},
		"address":           {[]string{"-addr", busy.Addr().String()}, "address already in use"},
		"no key":            {[]string{"-tls-cert", "c.pem"}, "a certificate without its key: use -tls-key"},
		"no certificate":    {[]string{"-tls-key", "k.pem"}, "a key without its certificate: use -tls-cert"},
		"missing files":     {[]string{"-tls-cert", "none.pem", "-tls-key", "none.pem"}, "none.pem: no such file"},
		"proxies":           {[]string{"-trusted-proxies", "proxy.test"}, `"proxy.test" is not a network`},
		"behind a proxy":    {[]string{"-trusted-proxies", "127.0.0.1"}, "there is no API key"},
		"exposed":           {[]string{"-addr", "0.0.0.0:0"}, "there is no API key"},
		"data":              {[]string{"-data", filepath.Join(t.TempDir(), "no", "x.db")}, "no such file or directory"},
		"no seal key":       {[]string{"-data", "postgres://plane:hidden@127.0.0.1:1/plane"}, "use -seal-key"},
		"seed, no seal key": {[]string{"-seed", "-data", "postgres://plane:hidden@127.0.0.1:1/plane"}, "use -seal-key"},
		"no server":         {[]string{"-data", "postgres://plane:hidden@127.0.0.1:1/plane", "-seal-key", filepath.Join(t.TempDir(), "key")}, "PostgreSQL can't be reached"},
		"scheme":            {[]string{"-data", "mysql://plane:hidden@127.0.0.1:1/plane?a=b", "-seal-key", filepath.Join(t.TempDir(), "key")}, "use postgres://user@host:5432/database"},
		"capitals":          {[]string{"-data", "POSTGRES://plane:hidden@127.0.0.1:1/plane", "-seed"}, "use -seal-key"},
		"one slash":         {[]string{"-data", "postgres:/plane:hidden@127.0.0.1:1/plane", "-seed"}, "use -seal-key"},
		"slash in password": {[]string{"-data", "postgres://plane:1/hidden@127.0.0.1:1/plane", "-seal-key", filepath.Join(t.TempDir(), "key")}, "use postgres://user@host:5432/database"},
		"help":              {[]string{"-help"}, flag.ErrHelp.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			args := append([]string{"-addr", "127.0.0.1:0"}, tc.args...) // The default port may be in use.
			err := run(t.Context(), args, &out, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error contains the key: %v", err)
			}
			if out.Len() > 0 {
				t.Errorf("standard output = %q, want nothing", out.String())
			}
		})
	}
}

func TestParseOptions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		want options
	}{
		"nothing": {nil, options{addr: "127.0.0.1:8124"}},
		"hours":   {[]string{"-retain", "12h"}, options{addr: "127.0.0.1:8124", config: devserver.Config{Retain: 12 * time.Hour}}},
		"everything": {
			[]string{"-addr", "127.0.0.1:0", "-data", "x.db", "-rollout", "3s", "-lag", "2s", "-clock-skew", "-90s", "-mask-secrets", "-report-defaults=false", "-no-default-prices", "-dev-api", "-drain-delay", "5s", "-metrics", ":9090", "-log-level", "warn", "-log-format", "json",
				"-api-key", "a=b=w1,w2", "-user", "a=b=ada", "-api-key", "c=w3", "-seed", "-host", "plane", "-host", "plane.test", "-trusted-proxies", "10.0.0.0/8,127.0.0.1", "-tls-cert", "c.pem", "-tls-key", "k.pem", "-insecure", "-retain", "30d", "-max-bytes", "2GiB"},
			options{addr: "127.0.0.1:0", seed: true, insecure: true, metrics: "127.0.0.1:9090", log: logOptions{json: true, level: new(slog.LevelWarn)}, config: devserver.Config{
				Hosts: []string{"plane", "plane.test"}, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32")}, TLSCert: "c.pem", TLSKey: "k.pem", Data: "x.db", OwnKey: true, Rollout: 3e9, Lag: 2e9, DrainDelay: 5e9, Retain: 720 * time.Hour, MaxBytes: 2 << 30, ClockSkew: -90e9, MaskSecrets: true, EchoResourceSpec: true, NoDefaultPrices: true, DevAPI: true,
				Keys: []devserver.Key{{Value: "a=b", Workspaces: []string{"w1", "w2"}, User: "ada"}, {Value: "c", Workspaces: []string{"w3"}}},
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parseOptions(tc.args, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(options{}, logOptions{}), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHelp checks that the guide lists every option that -help lists.
func TestHelp(t *testing.T) {
	t.Parallel()
	var help bytes.Buffer
	if _, err := parseOptions([]string{"-help"}, &help); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../../../templates/guides/dev-server.md")
	if err != nil {
		t.Fatal(err)
	}
	options := regexp.MustCompile(`(?m)^  (-[a-z-]+)`).FindAllStringSubmatch(help.String(), -1)
	if len(options) < 12 {
		t.Errorf("-help lists %d options, want at least 12: %s", len(options), &help)
	}
	for _, option := range options {
		if !strings.Contains(string(guide), "| `"+option[1]) {
			t.Errorf("the guide doesn't contain the option %s", option[1])
		}
	}
}

// TestLimits checks that -limits lists every limit.
func TestLimits(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-limits"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, bound := range devserver.Bounds() {
		row := strings.Join([]string{bound.What, bound.Most, bound.Beyond}, `  +`)
		if !regexp.MustCompile(`(?m)^` + strings.ReplaceAll(regexp.QuoteMeta(row), `  \+`, `  +`) + `$`).MatchString(out.String()) {
			t.Errorf("-limits doesn't list %v", bound)
		}
	}
}

// TestGuide_containers checks that the server takes the options of the containers in the guide, after those of the image.
func TestGuide_containers(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/dev-server-team.md")
	if err != nil {
		t.Fatal(err)
	}
	workflow, err := os.ReadFile("../../../.github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	section := string(guide)
	commands := regexp.MustCompile(`(?m)^ +command: (.+)$`).FindAllStringSubmatch(section, -1)
	if len(commands) != 3 {
		t.Fatalf("there are %d commands: %q", len(commands), commands)
	}
	for _, command := range commands {
		args := strings.Fields(strings.NewReplacer("[", "", "]", "", ",", "").Replace(command[1]))
		o, err := parseOptions(append([]string{"-addr", "0.0.0.0:8124", "-host", "agentplane", "-data", "/data/plane.db"}, args...), io.Discard)
		if err != nil || !o.seed || len(o.config.Keys) != 1 || o.config.Keys[0].Workspaces[0] != devserver.DefaultWorkspaceID {
			t.Errorf("%s: %+v, %v", command[1], o, err)
			continue
		}
	}
	for _, image := range regexp.MustCompile(`ghcr\.io/[a-z/-]+`).FindAllString(section, -1) {
		if !strings.Contains(string(workflow), "image="+image+"\n") {
			t.Errorf("the release workflow doesn't push %s", image)
		}
	}
}

// announced starts a server with options, and returns what is printed of it.
func announced(t *testing.T, args ...string) (server *devserver.Server, printed string) {
	t.Helper()
	o, err := parseOptions(args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if server, err = devserver.New(o.config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	var out bytes.Buffer
	if err := announce(t.Context(), &out, server, o, "http://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	return server, out.String()
}

// TestSeedWithKeys checks that all workspaces of all keys are seeded, and that the printed lines are for the first.
func TestSeedWithKeys(t *testing.T) {
	t.Parallel()
	const first, second = "aaaaaaaa-0000-4000-8000-000000000000", "bbbbbbbb-0000-4000-8000-000000000000"
	server, printed := announced(t, "-seed", "-api-key", "it's="+first+","+second)
	seeded, err := server.Seed(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`listening on http://127.0.0.1:1
export AGENTPLANE_BASE_URL='http://127.0.0.1:1'
export AGENTPLANE_API_KEY='it'\''s'
export AGENTPLANE_WORKSPACE_ID='%s'
export TF_VAR_listener_id='%s'
export TF_VAR_k8s_namespace='agents'
export TF_VAR_integration_id='%s'
# The web UI at http://127.0.0.1:1 asks for the AGENTPLANE_API_KEY above.
ready
`, first, seeded.ListenerID, seeded.IntegrationID)
	if diff := cmp.Diff(want, printed); diff != "" {
		t.Errorf("standard output (-want +got):\n%s", diff)
	}
}

// TestFixturesKey checks that the variables of the first key of a fixtures file are printed, without those of a seed.
func TestFixturesKey(t *testing.T) {
	t.Parallel()
	fixtures := filepath.Join(t.TempDir(), "fixtures.json")
	if err := os.WriteFile(fixtures, []byte(`{"keys": [{"value": "ci-key"}, {"value": "other"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, printed := announced(t, "-fixtures", fixtures, "-dialect", "langsmith")
	const want = `listening on http://127.0.0.1:1
export AGENTPLANE_BASE_URL='http://127.0.0.1:1'
export AGENTPLANE_API_KEY='ci-key'
export AGENTPLANE_WORKSPACE_ID='` + devserver.DefaultWorkspaceID + `'
export AGENTPLANE_DIALECT='langsmith'
# The web UI at http://127.0.0.1:1 asks for the AGENTPLANE_API_KEY above.
ready
`
	if diff := cmp.Diff(want, printed); diff != "" {
		t.Errorf("standard output (-want +got):\n%s", diff)
	}
}

// failingWriter stands for a standard output whose reader has closed it.
type failingWriter struct{ after int }

var errClosed = errors.New("closed")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.after--; w.after < 0 {
		return 0, errClosed
	}
	return len(p), nil
}

func TestRunEndsWhenNobodyListens(t *testing.T) {
	t.Parallel()
	for lines := range 8 { // The number of lines that can be written.
		err := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-seed"}, &failingWriter{after: lines}, io.Discard)
		if !errors.Is(err, errClosed) {
			t.Errorf("output closed after %d lines: error = %v, want %v", lines, err, errClosed)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{"-addr", "127.0.0.1:0"}, io.Discard, io.Discard); err != nil {
		t.Errorf("run with a cancelled context: error = %v, want none", err)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ip      net.IP
		url     string
		exposed bool
	}{
		{net.IPv4(127, 0, 0, 1), "http://127.0.0.1:80", false},
		{net.IPv6loopback, "http://[::1]:80", false},
		{net.IPv4zero, "http://127.0.0.1:80", true},
		{net.IPv6unspecified, "http://127.0.0.1:80", true},
		{net.IPv4(192, 0, 2, 7), "http://192.0.2.7:80", true},
	} {
		addr := &net.TCPAddr{IP: tc.ip, Port: 80}
		secure := options{config: devserver.Config{TLSCert: "cert.pem"}}
		if got, want := secure.baseURL(addr), strings.Replace(tc.url, "http:", "https:", 1); got != want {
			t.Errorf("%s with a certificate: URL %s, want %s", addr, got, want)
		}
		if got := (options{}).baseURL(addr); got != tc.url {
			t.Errorf("%s: URL %s, want %s", addr, got, tc.url)
		}
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, nil))
		for name, o := range map[string]options{
			"a key": {config: devserver.Config{Keys: []devserver.Key{{Value: "hush"}}}}, "insecure": {insecure: true},
		} {
			log.Reset()
			if err := checkExposure(logger, o, addr); err != nil {
				t.Errorf("checkExposure(%s) with %s: error = %v, want none", addr, name, err)
			}
			if warned := strings.Contains(log.String(), "level=WARN"); warned != tc.exposed {
				t.Errorf("checkExposure(%s) with %s: warned %v, want %v", addr, name, warned, tc.exposed)
			}
		}
		if err := checkExposure(logger, options{}, addr); (err != nil) != tc.exposed {
			t.Errorf("checkExposure(%s) without a key: error = %v, want one: %v", addr, err, tc.exposed)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	if err := run(t.Context(), []string{"-version"}, &stdout, io.Discard); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(version+"\n", stdout.String()); diff != "" {
		t.Error(diff)
	}
}
