package tracing_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// documented returns the environment after the commands of the block on a page that names the test. replaced are pairs of a
// text on the page and its replacement, and given are variables that the commands need.
func documented(t *testing.T, page, runBy string, replaced []string, given ...string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", page))
	devservertest.Must(t, err)
	block := regexp.MustCompile("(?s)<!-- run by " + runBy + " -->\n```sh\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatalf("%s has no block for %s", page, runBy)
	}
	commands := string(block[1])
	for i := 0; i < len(replaced); i += 2 {
		if !strings.Contains(commands, replaced[i]) {
			t.Fatalf("the block in %s doesn't contain %s, which the test replaces", page, replaced[i])
		}
		commands = strings.ReplaceAll(commands, replaced[i], replaced[i+1])
	}
	shell := exec.CommandContext(t.Context(), "bash", "-euc", commands+"\nenv -0")
	shell.Env = append(os.Environ(), given...)
	environment, err := shell.Output()
	if err != nil {
		t.Fatalf("%s: %v", commands, err)
	}
	return strings.Split(strings.TrimSuffix(string(environment), "\x00"), "\x00")
}
