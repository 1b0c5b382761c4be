package providertest_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestGuide_devServer runs the guide's commands: it starts the dev server, tests its completion, adds users and simulates
// events.
func TestGuide_devServer(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	for _, program := range []string{"bash", "curl", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the commands of the guide need %s: %v", program, err)
		}
	}
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(clone, ".git")); err != nil {
		t.Skipf("there is nothing to clone: %v", err)
	}
	guide, directory := openGuide(t, "dev-server.md"), t.TempDir()
	if lines := startServer(t, directory, guide.shell(), cloning(clone)...); !strings.Contains(lines, "export AGENTPLANE_API_KEY=") {
		t.Errorf("the server prints %s", lines)
	}

	program := filepath.Join(directory, "agentplane-devserver")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, clone+"/internal/cmd/devserver").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	runProgram := func(commands string) {
		t.Helper()
		shell := exec.CommandContext(t.Context(), "bash", "-euc", commands)
		shell.Dir, shell.Env = directory, append(os.Environ(), "PATH="+directory+string(os.PathListSeparator)+os.Getenv("PATH"))
		if output, err := shell.CombinedOutput(); err != nil {
			t.Errorf("%s\n%v: %s", commands, err, output)
		}
	}
	runProgram(guide.shell() + "\ncomplete -p agentplane-devserver")

	stored, err := devserver.New(devserver.Config{Data: filepath.Join(directory, "plane.db")})
	if err != nil {
		t.Fatal(err)
	}
	if err := stored.Close(); err != nil {
		t.Fatal(err)
	}
	send, usersStarted := sender(t, guide.next(func(b codeBlock) bool { return b.language == "json" })), false
	var answers strings.Builder
	for len(guide.blocks) > 0 {
		commands := guide.shell()
		switch {
		case strings.HasPrefix(commands, "agentplane-devserver "):
			runProgram(commands)
			continue
		case !strings.Contains(commands, "go run"):
			answers.WriteString(send(commands))
			continue
		}
		usersStarted = strings.Contains(startServer(t, filepath.Join(directory, "terraform-provider-agentplane"), commands), "='ada-key'")
	}
	for _, want := range []string{`"repo_commit_sha":`, `"name":"acme-labs"`, `"requests":`, `"deployments":[`} {
		if !strings.Contains(answers.String(), want) {
			t.Errorf("no answer has %s:\n%s", want, answers.String())
		}
	}
	if !usersStarted {
		t.Error("no server has users")
	}
}

// cloning is the environment in which Git finds this repository under the address of the guides.
func cloning(clone string) []string {
	return []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url." + clone + ".insteadOf",
		"GIT_CONFIG_VALUE_0=https://github.com/agentplane/terraform-provider-agentplane"}
}

// startServer runs commands that end with a server, stops it once it is ready, and returns what it has printed.
func startServer(t *testing.T, directory, commands string, environment ...string) string {
	t.Helper()
	const run = "go run ./internal/cmd/devserver "
	if !strings.Contains(commands, run) {
		t.Fatalf("the commands start no server:\n%s", commands)
	}
	shell := exec.CommandContext(t.Context(), "bash", "-euc", strings.Replace(commands, run, run+"-addr 127.0.0.1:0 ", 1))
	shell.Dir, shell.Env = directory, append(os.Environ(), environment...)
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // The server is a child of go run.
	var complaints, printed bytes.Buffer
	shell.Stderr = &complaints
	stdout, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	ready := false
	for lines := bufio.NewScanner(stdout); !ready && lines.Scan(); {
		fmt.Fprintln(&printed, lines.Text())
		ready = lines.Text() == "ready"
	}
	_ = syscall.Kill(-shell.Process.Pid, syscall.SIGTERM)
	_ = shell.Wait()
	if !ready {
		t.Fatalf("%s\n%s", commands, &complaints)
	}
	return printed.String()
}

// sender sends the requests of the guide to a server in this process, which has the fixtures of the guide, and returns the answers.
func sender(t *testing.T, fixtures string) func(commands string) string {
	t.Helper()
	given, err := devserver.ReadFixtures(strings.NewReader(fixtures))
	if err != nil {
		t.Fatal(err)
	}
	const key = "the-key"
	server, err := devserver.New(devserver.Config{
		DevAPI: true, Keys: []devserver.Key{{Value: key, Workspaces: []string{devserver.DefaultWorkspaceID}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	if err := server.Register(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	return func(commands string) string {
		t.Helper()
		commands = strings.NewReplacer("http://127.0.0.1:8124", web.URL, "curl ", "curl -fsS ").Replace(commands)
		run := exec.CommandContext(t.Context(), "bash", "-euc", commands)
		run.Env = append(os.Environ(), "AGENTPLANE_API_KEY="+key)
		output, err := run.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s\n%s", err, commands, output)
		}
		return string(output) + "\n"
	}
}
