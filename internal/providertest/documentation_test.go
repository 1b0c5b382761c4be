package providertest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentation_blocks expects that a test runs every code block in the documentation, or that the block says why not.
func TestDocumentation_blocks(t *testing.T) {
	t.Parallel()
	pages := []string{
		"README.md", "CONTRIBUTING.md", ".ci/README.md", "examples/server/README.md", "examples/policy/README.md",
		"examples/platform/README.md", "examples/platform/modules/agent/README.md",
	}
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
	tests, followed, blocks := testNames(t), followedPages(t), 0
	for _, page := range pages {
		for _, found := range codeBlocks(readText(t, filepath.Join(root, page))) {
			blocks++
			switch {
			case found.language == "text":
			case found.mark == "run by":
				if !tests[found.reason] {
					t.Errorf("%s: there is no %s", page, found.reason)
				}
			case found.mark == "" && !slices.Contains(followed, page):
				t.Errorf("%s: a block in %s is neither run nor marked", page, found.language)
			}
		}
	}
	if blocks < 20 {
		t.Errorf("there are %d blocks only: the pattern is wrong", blocks)
	}
}

// testNames are the tests of the repository.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names, declaration := map[string]bool{}, regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir("..", func(file string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, "_test.go") {
			for _, found := range declaration.FindAllStringSubmatch(readText(t, file), -1) {
				names[found[1]] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
