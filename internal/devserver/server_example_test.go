package devserver_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// TestServerExample runs the script of examples/server, and logs a run through its proxy. Both servers answer requests.
func TestServerExample(t *testing.T) {
	t.Parallel()
	postgrestest.Required(t)
	if _, err := exec.LookPath("haproxy"); err != nil {
		t.Fatal("needs a proxy: apt-get install haproxy")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	devservertest.Must(t, err)
	address := free.Addr().String()
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	script := exec.CommandContext(t.Context(), "../../examples/server/run.sh")
	work := t.TempDir()
	devservertest.Must(t, os.Chmod(filepath.Dir(work), 0o711)) //nolint:gosec // PostgreSQL runs as another user.
	devservertest.Must(t, os.Chmod(work, 0o711))               //nolint:gosec // As above.
	script.Env = append(os.Environ(), "PORT="+strconv.Itoa(port), "TMPDIR="+work, "AGENTPLANE_API_KEY=a-key")
	var problems strings.Builder
	script.Stderr = &problems
	out, err := script.StdoutPipe()
	devservertest.Must(t, err)
	devservertest.Must(t, script.Start())
	var lines []string
	output := bufio.NewScanner(out)
	for output.Scan() && output.Text() != "ready" {
		lines = append(lines, output.Text())
	}
	if printed := strings.Join(lines, "\n"); !strings.HasSuffix(printed, "export AGENTPLANE_BASE_URL='http://"+address+"'\nexport AGENTPLANE_API_KEY='a-key'") {
		t.Fatalf("output = %s, want the address and the key: %v: %s", printed, script.Wait(), &problems)
	}
	do := func(method, path, body string) (status int, requestID, text string) {
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, strings.NewReader(body))
		devservertest.Must(t, err)
		request.Header = http.Header{
			"X-Api-Key": {"a-key"}, "Content-Type": {"application/json"}, "X-Request-Id": {"forged"}, "X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Host": {"forged.test"},
		}
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		answer, err := client.Do(request)
		devservertest.Must(t, err)
		defer answer.Body.Close()
		content, err := io.ReadAll(answer.Body)
		devservertest.Must(t, err)
		return answer.StatusCode, answer.Header.Get("X-Request-Id"), string(content)
	}
	run := devservertest.RootRun()
	status, id, text := do(http.MethodPost, "/runs", `{"id": "`+run["id"].(string)+`", "name": "a", "run_type": "chain", "inputs": {}, "session_name": "agents"}`)
	if status != http.StatusAccepted || id == "forged" || id == "" {
		t.Errorf("a run: status %d, request ID %q, want 202 and an ID of the proxy: %s", status, id, text)
	}
	if status, _, text := do(http.MethodGet, "/runs/"+run["id"].(string), ""); status != http.StatusOK {
		t.Errorf("the run: status %d, want 200: %s", status, text)
	}
	status, _, text = do(http.MethodPost, "/feedback/tokens", `{"run_id": "`+run["id"].(string)+`", "feedback_key": "k"}`)
	if status != http.StatusOK || !strings.Contains(text, `"url":"http://`+address+"/api/v1/feedback/tokens/") {
		t.Errorf("feedback token = %s, want a URL of the proxy, %s", text, address)
	}
	for range 10 {
		if status, _, text := do(http.MethodGet, "/v2/deployments", ""); status != http.StatusOK {
			t.Errorf("deployments: status %d, want 200: %s", status, text)
		}
	}
	logs, err := filepath.Glob(filepath.Join(work, "*", "server*.log"))
	if err != nil || len(logs) != 2 {
		t.Errorf("logs = %v, %v; want those of two servers", logs, err)
	}
	for _, log := range logs {
		if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), `"path":"/v2/deployments"`) {
			t.Errorf("%s has no request, %v: %s", log, err, text)
		}
	}
	devservertest.Must(t, script.Process.Signal(syscall.SIGTERM))
	_, _ = io.Copy(io.Discard, out)
	if err := script.Wait(); err != nil {
		t.Errorf("the script ended with %v: %s", err, &problems)
	}
	if left, err := os.ReadDir(work); err != nil || len(left) > 0 {
		t.Errorf("the script leaves %v, %v", left, err)
	}
}
