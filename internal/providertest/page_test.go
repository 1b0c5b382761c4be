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

// configuration reports whether a block is configuration of Terraform.
func (b codeBlock) configuration() bool { return b.language == "terraform" || b.language == "hcl" }

// page is a page of the documentation. A test runs those of its blocks that name it, from the top to the end, and none may be left.
type page struct {
	t      *testing.T
	name   string
	blocks []codeBlock
}

func openGuide(t *testing.T, name string) *page {
	t.Helper()
	return openPage(t, filepath.Join("templates", "guides", name))
}

func openPage(t *testing.T, name string) *page {
	t.Helper()
	p := &page{t: t, name: filepath.Base(name)}
	for _, block := range codeBlocks(readText(t, filepath.Join(root, name))) {
		if block.mark == "run by" && block.reason == t.Name() && block.language != "text" {
			p.blocks = append(p.blocks, block)
		}
	}
	t.Cleanup(func() {
		if len(p.blocks) > 0 && !t.Failed() && !t.Skipped() {
			t.Errorf("%s: nothing ran the %d blocks from here on:\n%s", p.name, len(p.blocks), p.blocks[0].code)
		}
	})
	return p
}

// configuration is the next block, which has to be configuration of Terraform.
func (p *page) configuration() string {
	p.t.Helper()
	return p.next(codeBlock.configuration)
}

// shell is the next block, which has to be commands.
func (p *page) shell() string {
	p.t.Helper()
	return p.next(func(b codeBlock) bool { return b.language == "shell" || b.language == "sh" || b.language == "bash" })
}

func (p *page) next(expected func(codeBlock) bool) string {
	p.t.Helper()
	if len(p.blocks) == 0 {
		p.t.Fatalf("%s has no block left", p.name)
	}
	block := p.blocks[0]
	if !expected(block) {
		p.t.Fatalf("%s goes on with something else, in %s:\n%s", p.name, block.language, block.code)
	}
	p.blocks = p.blocks[1:]
	return block.code
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
