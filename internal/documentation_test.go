package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	fence      = regexp.MustCompile("(?ms)^ *```.*?\n *```$")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)|(?m:^\[[^\]]+\]: (\S+)$)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.*)$`)
	linkText   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	namedPlace = regexp.MustCompile(`<a id="([^"]+)"`)
	notInSlug  = regexp.MustCompile(`[^\w\- ]`)
	// repository matches links to files of this repository on its main branch.
	repository = regexp.MustCompile(`^https://(?:github|raw\.githubusercontent)\.com/agentplane/terraform-provider-agentplane(?:(?:/(?:blob|tree))?/main)?/?`)
)

// places returns the anchors of a page.
func places(text string) []string {
	var found []string
	for _, title := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		plain := strings.ToLower(strings.TrimSpace(linkText.ReplaceAllString(title[1], "$1")))
		found = append(found, strings.ReplaceAll(notInSlug.ReplaceAllString(plain, ""), " ", "-"))
	}
	for _, place := range namedPlace.FindAllStringSubmatch(text, -1) {
		found = append(found, place[1])
	}
	return found
}

// brokenLinks lists a page's links to files or anchors that don't exist in the repository. read returns a file, or false.
func brokenLinks(page, text string, read func(name string) (string, bool)) []string {
	var broken []string
	for _, found := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		target := found[1] + found[2]
		name, place, _ := strings.Cut(target, "#")
		switch {
		case strings.HasSuffix(name, "/security/advisories/new"):
			continue // A page on GitHub.
		case repository.MatchString(name):
			if name = repository.ReplaceAllString(name, ""); name == "" {
				name = "README.md"
			}
		case strings.Contains(name, "://"):
			continue
		case name == "":
			name = page
		default:
			name = filepath.Join(filepath.Dir(page), name)
		}
		content, exists := read(name)
		if !exists || place != "" && !slices.Contains(places(content), place) {
			broken = append(broken, target)
		}
	}
	return broken
}

// TestLinks checks that links in the documentation to this repository aren't broken.
func TestLinks(t *testing.T) {
	t.Parallel()
	read := func(name string) (string, bool) {
		name = filepath.Join("..", name)
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			return "", err == nil
		}
		text, err := os.ReadFile(name)
		return string(text), err == nil
	}
	pages := []string{
		"README.md", "CONTRIBUTING.md", "CHANGELOG.md", ".github/SECURITY.md", ".ci/README.md", "internal/cmd/bench/README.md",
		"internal/providertest/README.md", "internal/providertest/chaos/README.md",
		"internal/providertest/core/README.md", "examples/platform/README.md", "examples/platform/modules/agent/README.md",
		"examples/policy/README.md", "examples/server/README.md",
	}
	err := fs.WalkDir(os.DirFS(".."), "docs", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil || len(pages) < 50 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		text, _ := read(page)
		for _, target := range brokenLinks(page, text, read) {
			t.Errorf("%s: broken link %s", page, target)
		}
	}
	index, _ := read("docs/index.md")
	readme, _ := read("README.md")
	for _, page := range pages {
		guide := filepath.Dir(page) == "docs/guides"
		if guide && !strings.Contains(index, "](guides/"+filepath.Base(page)+")") {
			t.Errorf("docs/index.md has no link to %s", page)
		}
		if !guide && strings.HasPrefix(page, "docs/") && !strings.Contains(readme, "]("+page+")") {
			t.Errorf("README.md has no link to %s", page)
		}
	}
}

func TestBrokenLinks(t *testing.T) {
	t.Parallel()
	files := map[string]string{"docs/a.md": "# A\n\n## What `x` does\n\n<a id=\"nested\"></a>\n", "README.md": "# Read\n"}
	read := func(name string) (string, bool) { text, exists := files[name]; return text, exists }
	text := "# Here\n[1](a.md) [2](a.md#what-x-does) [3](a.md#nested) [4](#here) [5](https://example.com/x)\n```\n[6](none.md)\n```\n" +
		"[7](b.md) [8](a.md#other) [9](https://github.com/agentplane/terraform-provider-agentplane#read)\n[10]\n\n" +
		"[10]: https://github.com/agentplane/terraform-provider-agentplane/blob/main/none.md\n"
	files["docs/page.md"] = text
	want := []string{"b.md", "a.md#other", "https://github.com/agentplane/terraform-provider-agentplane/blob/main/none.md"}
	if got := brokenLinks("docs/page.md", text, read); !slices.Equal(got, want) {
		t.Errorf("brokenLinks = %q, want %q", got, want)
	}
}
