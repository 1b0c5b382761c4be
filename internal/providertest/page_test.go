package providertest_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fenced is a block of code in Markdown, perhaps indented, and the comment above it, which has the test that runs it or the reason
// why none does.
var fenced = regexp.MustCompile("(?ms)^( *)(?:<!-- (run by|not run:) ([^\n]+) -->\n *)?```([a-z]+)\n(.*?\n) *```$")

// codeBlock is a block of code in the documentation.
type codeBlock struct {
	// mark is "run by" or "not run:", if there is a comment above the block, and reason is the rest of that comment.
	mark, reason, language, code string
}

func codeBlocks(text string) []codeBlock {
	var blocks []codeBlock
	for _, found := range fenced.FindAllStringSubmatch(text, -1) {
		code := strings.ReplaceAll("\n"+found[5], "\n"+found[1], "\n")
		blocks = append(blocks, codeBlock{found[2], found[3], found[4], code[1:]})
	}
	return blocks
}

// markedBlocks are the blocks of a page that are marked to be run by the test, as many as it knows.
func markedBlocks(t *testing.T, name string, count int) []string {
	t.Helper()
	var marked []string
	for _, block := range codeBlocks(readText(t, filepath.Join(root, name))) {
		if block.mark == "run by" && block.reason == t.Name() && block.language != "text" {
			marked = append(marked, block.code)
		}
	}
	if len(marked) != count {
		t.Fatalf("%s has %d blocks that %s runs, want %d: %q", name, len(marked), t.Name(), count, marked)
	}
	return marked
}

// blockWith is the only block of a page that contains a text.
func blockWith(t *testing.T, name, text string) string {
	t.Helper()
	var found []string
	for _, block := range codeBlocks(readText(t, filepath.Join(root, name))) {
		if strings.Contains(block.code, text) {
			found = append(found, block.code)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d blocks with %s", name, len(found), text)
	}
	return found[0]
}

// withoutBlock removes a block of configuration, such as the provider's, which would lead elsewhere.
func withoutBlock(t *testing.T, configuration, block string) string {
	t.Helper()
	pattern := regexp.MustCompile(`(?ms)^` + regexp.QuoteMeta(block) + ` \{(\}|\n.*?^\})\n`)
	if !pattern.MatchString(configuration) {
		t.Fatalf("there is no %s in\n%s", block, configuration)
	}
	return pattern.ReplaceAllString(configuration, "")
}
