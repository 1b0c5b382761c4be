package providertest_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// The keys and workspaces of recordings. Each dialect has a workspace.
const (
	recordedKey      = "made-up-key"
	recordedOtherKey = "made-up-key-of-bob"
	recordedAddress  = "127.0.0.1:8124"
)

var recordedWorkspaces = map[string]string{
	"neutral": "11111111-0000-4000-8000-000000000000", "langsmith": "22222222-0000-4000-8000-000000000000",
}

// recording records what the provider and the dev server of a commit do.
type recording struct {
	t *testing.T
	devservertest.Recording
	bin       string // Has the two programs.
	directory string // Has the configurations, and gets the files.
	data      string // The dev server's file or database.
	sealKey   string
	mcpServer string
	dialect   string // Of the running dev server.
	server    *exec.Cmd
}

// TestRecord makes the files of a commit in testdata/recorded, as its README.md describes. It is no test.
func TestRecord(t *testing.T) {
	commit := os.Getenv("AGENTPLANE_TEST_RECORD")
	if commit == "" {
		t.Skip("AGENTPLANE_TEST_RECORD names no commit to record")
	}
	bin := t.TempDir()
	const build = `git archive "$1" | tar -x -C "$2" && cd "$2" && go build -trimpath -o bin/ . ./internal/cmd/devserver`
	if output, err := exec.CommandContext(t.Context(), "bash", "-c", "cd ../.. && "+build, "-", commit, bin).CombinedOutput(); err != nil { //nolint:gosec // The caller's own.
		t.Fatalf("%v\n%s", err, output)
	}
	directory, err := filepath.Abs(filepath.Join("..", "testdata", "recorded", commit))
	if err != nil {
		t.Fatal(err)
	}
	database, err := postgrestest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Stop() })
	file := filepath.Join(t.TempDir(), "data")
	for name, data := range map[string]string{"sqlite": file, "postgres": database.Address("postgres")} {
		r := &recording{
			t: t, bin: filepath.Join(bin, "bin"), directory: directory, data: data, sealKey: filepath.Join(directory, name+".key"),
			mcpServer: providertest.NewMCPServer(t),
		}
		r.URL = "http://" + recordedAddress
		for _, key := range []devserver.Key{{Value: recordedKey}, {Value: recordedOtherKey, User: "bob"}} {
			key.Workspaces = []string{recordedWorkspaces["neutral"], recordedWorkspaces["langsmith"]}
			r.Keys = append(r.Keys, key)
		}
		_ = os.Remove(r.sealKey)
		r.record(name == "sqlite")
		r.Clock = time.Now().UTC().Truncate(time.Second)
		r.pack(name+".json.gz", r.description())
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &recording{t: t, directory: directory}
	r.pack("sqlite.db.gz", content)
	dump := exec.CommandContext(t.Context(), "pg_dump", "--inserts", "--rows-per-insert=1000", "--no-owner", "--no-privileges", database.Address("postgres"))
	if content, err = dump.Output(); err != nil {
		t.Fatal(err)
	}
	r.pack("postgres.sql.gz", content)
}

// record fills the data, and notes the answers of the dev server.
func (r *recording) record(keepStates bool) {
	for _, dialect := range []string{"neutral", "langsmith"} {
		r.start(dialect, "-seed")
		state, variables := r.apply()
		if keepStates {
			r.write(dialect+".state.json", state)
			r.write(dialect+".tfvars.json", variables)
		}
		r.fillControlPlane()
		r.fillTracing()
		r.stop()
	}
	for _, dialect := range []string{"neutral", "langsmith"} {
		r.start(dialect, "-rollout", "87600h")
		r.call("POST", "/v2/deployments", r.deployment("in-progress"))
		r.call("PATCH", "/v2/deployments/"+r.named("redeployed"), object{"secrets": []any{object{"name": "STAGE", "value": "made-up"}}})
		r.call("POST", "/dev/clock", object{"advance": "10m"}) // No rollout gets on between the answers.
		time.Sleep(5 * time.Second)                            // The dev server rolls up figures, and indexes texts.
		r.askControlPlane()
		r.askTracing()
		if strings.HasPrefix(r.data, "postgres:") { // With a file, faults are kept in memory.
			r.call("POST", "/dev/faults", object{"match": "DELETE /v2/listeners/{listener_id}", "status": 500})
			r.ask("GET", "/dev/faults", nil)
		}
		r.stop()
	}
}

// start starts the dev server on the data.
func (r *recording) start(dialect string, more ...string) {
	r.t.Helper()
	workspaces := strings.Join(r.Keys[0].Workspaces, ",")
	arguments := append([]string{
		"-addr", recordedAddress, "-data", r.data, "-seal-key", r.sealKey, "-dialect", dialect, "-dev-api", "-no-default-prices",
		"-api-key", recordedKey + "=" + workspaces, "-api-key", recordedOtherKey + "=" + workspaces, "-user", recordedOtherKey + "=bob", "-log-level", "warn",
	}, more...)
	r.dialect, r.server = dialect, exec.CommandContext(r.t.Context(), filepath.Join(r.bin, "devserver"), arguments...)
	r.server.Stderr = os.Stderr
	output, err := r.server.StdoutPipe()
	if err == nil {
		err = r.server.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	for lines := bufio.NewScanner(output); lines.Text() != "ready"; {
		if !lines.Scan() {
			r.t.Fatalf("the dev server isn't ready: %v", r.server.Wait())
		}
	}
}

func (r *recording) stop() {
	r.t.Helper()
	if err := r.server.Process.Signal(syscall.SIGTERM); err != nil {
		r.t.Fatal(err)
	}
	if err := r.server.Wait(); err != nil {
		r.t.Fatal(err)
	}
}

// request sends a request, and returns the answer.
func (r *recording) request(q devservertest.RecordedAnswer) (status int, answer []byte) {
	r.t.Helper()
	response, err := http.DefaultClient.Do(q.Request(r.t, r.URL))
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(response.Body); err != nil {
		r.t.Fatal(err)
	}
	return response.StatusCode, answer
}

func (r *recording) asked(method, path string, body any) devservertest.RecordedAnswer {
	r.t.Helper()
	q := devservertest.RecordedAnswer{Dialect: r.dialect, Key: recordedKey, WorkspaceID: recordedWorkspaces[r.dialect], Method: method, Path: path}
	if body != nil {
		var err error
		if q.Body, err = json.Marshal(body); err != nil {
			r.t.Fatal(err)
		}
	}
	return q
}

// call sends a request that must succeed, and returns the JSON of the answer.
func (r *recording) call(method, path string, body any) any {
	r.t.Helper()
	return r.succeed(r.asked(method, path, body))
}

func (r *recording) succeed(q devservertest.RecordedAnswer) (value any) {
	r.t.Helper()
	status, answer := r.request(q)
	if status >= http.StatusBadRequest {
		r.t.Fatalf("%s %s: %d %s", q.Method, q.Path, status, answer)
	}
	_ = json.Unmarshal(answer, &value) // Some have no body.
	return value
}

// ask notes an answer, and returns its JSON.
func (r *recording) ask(method, path string, body any) (value any) {
	r.t.Helper()
	return r.note(r.asked(method, path, body))
}

func (r *recording) note(q devservertest.RecordedAnswer) (value any) {
	r.t.Helper()
	q.Status, q.Answer = r.request(q)
	if q.Status >= http.StatusInternalServerError {
		r.t.Fatalf("%s %s: %d %s", q.Method, q.Path, q.Status, q.Answer)
	}
	if err := json.Unmarshal(q.Answer, &value); err != nil {
		r.t.Fatalf("%s %s: %v: %s", q.Method, q.Path, err, q.Answer)
	}
	r.Answers = append(r.Answers, q)
	return value
}

// form sends a form as a page does.
func (r *recording) form(path string, values url.Values) {
	r.t.Helper()
	request := r.asked("POST", path, nil).Request(r.t, r.URL)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Body, request.ContentLength = io.NopCloser(strings.NewReader(values.Encode())), -1
	response, err := http.DefaultTransport.RoundTrip(request) // Without the page to which it redirects.
	if err != nil {
		r.t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		r.t.Fatalf("%s: status %d", path, response.StatusCode)
	}
}

// apply applies the configurations of a dialect, and returns the state and the variables.
func (r *recording) apply() (state, variables []byte) {
	r.t.Helper()
	work := r.t.TempDir()
	for _, name := range []string{"common.tf", r.dialect + ".tf"} {
		content, err := os.ReadFile(filepath.Join(r.directory, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(work, name), content, 0o600)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	values := r.variables()
	variables, err := json.MarshalIndent(values, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(work, "terraform.tfvars.json"), variables, 0o600)
	}
	settings := filepath.Join(work, "cli.tfrc")
	if err == nil {
		err = os.WriteFile(settings, fmt.Appendf(nil, "provider_installation {\n  dev_overrides {\n    \"agentplane/agentplane\" = %q\n  }\n}\n", r.bin), 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	apply := func(arguments ...string) {
		r.t.Helper()
		terraform := exec.CommandContext(r.t.Context(), "terraform", append([]string{"apply", "-auto-approve", "-no-color"}, arguments...)...)
		terraform.Dir = work
		terraform.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+settings, "CHECKPOINT_DISABLE=1", "AGENTPLANE_BASE_URL="+r.URL,
			"AGENTPLANE_API_KEY="+recordedKey, "AGENTPLANE_WORKSPACE_ID="+recordedWorkspaces[r.dialect], "AGENTPLANE_DIALECT="+r.dialect)
		if output, err := terraform.CombinedOutput(); err != nil {
			r.t.Fatalf("%s: %v\n%s", r.dialect, err, output)
		}
	}
	r.call("POST", "/dev/faults", object{"rollout": object{"state": "DEPLOYING", "message": "made-up failure"}})
	apply("-var=stage=1", "-target=agentplane_deployment.repaired")
	apply("-var=stage=1")
	r.call("POST", "/dev/push", object{"repo_url": values["repo_url"], "ref": "main"})
	apply()
	state, err = os.ReadFile(filepath.Join(work, "terraform.tfstate"))
	if err != nil {
		r.t.Fatal(err)
	}
	return state, variables
}

func (r *recording) write(name string, content []byte) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.directory, name), append(bytes.TrimSpace(content), '\n'), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// description has a line for each answer.
func (r *recording) description() []byte {
	r.t.Helper()
	description, err := json.Marshal(r.Recording)
	if err != nil {
		r.t.Fatal(err)
	}
	return bytes.ReplaceAll(description, []byte(`{"dialect":"`), []byte("\n"+`{"dialect":"`))
}

func (r *recording) pack(name string, content []byte) {
	r.t.Helper()
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = writer.Write(content)
	}
	if err == nil {
		err = writer.Close()
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(r.directory, name), packed.Bytes(), 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}
