package devservertest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// proxyVariable makes the servers of tests listen behind haproxy.
const proxyVariable = "AGENTPLANE_TEST_PROXY"

// Proxy starts haproxy before servers at some addresses, with the configuration of examples/server, and returns its URL.
func Proxy(t testing.TB, addresses ...string) (url string) {
	t.Helper()
	program, err := exec.LookPath("haproxy")
	if err != nil {
		t.Fatal("needs a proxy: apt-get install haproxy")
	}
	root, err := os.Getwd()
	for err == nil && root != filepath.Dir(root) {
		if _, missing := os.Stat(filepath.Join(root, "go.mod")); missing == nil {
			break
		}
		root = filepath.Dir(root)
	}
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(root, "examples", "server", "haproxy.cfg"))
	if err != nil {
		t.Fatal(err)
	}
	for n, address := range addresses {
		config = fmt.Appendf(config, "    server server%d %s\n", n, address)
	}
	path := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(path, config, 0o600); err != nil { //nolint:gosec // The path is the test's own.
		t.Fatal(err)
	}
	listen := FreeAddress(t)
	proxy := exec.Command(program, "-db", "-f", path) //nolint:gosec,noctx // It outlives the context of a test, whose cleanup may send requests.
	proxy.Env = append(os.Environ(), "LISTEN="+listen)
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Process.Kill(); _ = proxy.Wait() })
	url = "http://" + listen
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		response, err := http.Get(url + "/readyz") //nolint:noctx // It is this proxy.
		if err == nil {
			_ = response.Body.Close()
		}
		if err == nil && response.StatusCode == http.StatusOK {
			return url
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("the proxy doesn't answer: %v", err)
		}
	}
}

// FreeAddress returns an address that no process listens on.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
