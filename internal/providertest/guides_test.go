package providertest_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// dialectal are the pages that tests follow in each dialect, because a tracing project that is left behind keeps its name reserved in one.
var dialectal = []string{"templates/guides/previews.md", "templates/guides/promotion.md"}

// followedPages are the pages that tests follow, by their paths in the repository.
func followedPages(t *testing.T) []string {
	t.Helper()
	guides, err := filepath.Glob(filepath.Join(root, "templates", "guides", "*.md"))
	if err != nil || len(guides) == 0 {
		t.Fatal(guides, err)
	}
	pages := []string{"templates/index.md.tmpl", "examples/platform/README.md", "examples/platform/modules/agent/README.md"}
	for _, guide := range guides {
		pages = append(pages, "templates/guides/"+filepath.Base(guide))
	}
	return pages
}

// TestAccGuides follows each page, without the blocks that are marked because another test runs them or none does.
func TestAccGuides(t *testing.T) {
	t.Parallel()
	followPages(t)
}

// TestAccGuides_next also runs the blocks that need a newer CLI, on the pages that have such blocks.
func TestAccGuides_next(t *testing.T) {
	t.Parallel()
	followPages(t)
}

func followPages(t *testing.T) {
	t.Helper()
	next, neutral := strings.HasSuffix(t.Name(), "_next"), testedDialect(t) == api.Neutral
	for _, name := range followedPages(t) {
		var blocks []codeBlock
		own := false
		for _, block := range codeBlocks(readText(t, filepath.Join(root, name))) {
			marked := block.mark == "run by" && block.reason == t.Name()
			if marked || block.mark == "" {
				own = own || marked == next
				blocks = append(blocks, block)
			}
		}
		if own && (neutral || slices.Contains(dialectal, name)) {
			t.Run(filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				follow(t, blocks)
			})
		}
	}
}
