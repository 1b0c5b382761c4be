package providertest_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// fenced is a block of code in Markdown, and the comment above it, which has the test that runs it or the reason why none does.
var fenced = regexp.MustCompile("(?:<!-- (run by|not run:) ([^\n]+) -->\n)?```([a-z]+)\n")

// TestDocumentation_blocks expects every block of code in the documentation to be run by a test, or to say why it isn't.
func TestDocumentation_blocks(t *testing.T) {
	t.Parallel()
	pages := []string{"README.md", "CONTRIBUTING.md"}
	templates := os.DirFS(filepath.Join(root, "templates"))
	for _, pattern := range []string{"*", "*/*"} {
		found, err := fs.Glob(templates, pattern+".md*")
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range found {
			pages = append(pages, filepath.Join("templates", page))
		}
	}
	tests, blocks := testNames(t), 0
	for _, page := range pages {
		own := ownTests[filepath.Base(page)]
		if own != "" && !tests[own] {
			t.Errorf("%s: there is no %s", page, own)
		}
		for _, found := range fenced.FindAllStringSubmatch(readText(t, filepath.Join(root, page)), -1) {
			blocks++
			mark, what, language := found[1], found[2], found[3]
			guide := filepath.Base(filepath.Dir(page)) == "guides"
			switch {
			case language == "text" || language == "mermaid" || own != "":
			case mark == "run by":
				if !tests[what] {
					t.Errorf("%s: there is no %s", page, what)
				}
			case mark == "" && (!guide || language != "terraform" && language != "hcl"): // TestAccGuide_blocks runs these.
				t.Errorf("%s: a block in %s is neither run nor marked", page, language)
			}
		}
	}
	if blocks < 20 {
		t.Errorf("there are %d blocks only: the pattern is wrong", blocks)
	}
}

// testNames are the tests of this package.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	names, declaration := map[string]bool{}, regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, file := range files {
		for _, found := range declaration.FindAllStringSubmatch(readText(t, file), -1) {
			names[found[1]] = true
		}
	}
	return names
}

// TestGuide_devServer runs the commands that simulate events, as the guide shows them.
func TestGuide_devServer(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the commands of the guide need %s: %v", program, err)
		}
	}
	const key = "the-key"
	server, err := devserver.New(devserver.Config{
		DevAPI: true, Keys: []devserver.Key{{Value: key, Workspaces: []string{devserver.DefaultWorkspaceID}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	guide := readText(t, filepath.Join(root, "templates", "guides", "dev-server.md"))
	var answers bytes.Buffer
	blocks := regexp.MustCompile("(?s)<!-- run by TestGuide_devServer -->\n```shell\n(.*?)```").FindAllStringSubmatch(guide, -1)
	for _, block := range blocks {
		commands := strings.ReplaceAll(strings.ReplaceAll(block[1], "http://127.0.0.1:8124", web.URL), "curl ", "curl -fsS ")
		run := exec.CommandContext(t.Context(), "bash", "-euc", commands)
		run.Env = append(os.Environ(), "AGENTPLANE_API_KEY="+key)
		output, err := run.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s\n%s", err, commands, output)
		}
		fmt.Fprintf(&answers, "%s\n", output)
	}
	for _, want := range []string{`"repo_commit_sha":`, `"name":"acme"`, `"requests":`} {
		if !strings.Contains(answers.String(), want) {
			t.Errorf("no answer has %s:\n%s", want, answers.String())
		}
	}
}
