package form_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

func TestShortened(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "ab": "ab", "abc": "abc", "abcd": "abc…", "äöü": "äöü", "äöüß": "äöü…", "😀😀😀": "😀😀😀", "😀😀😀😀": "😀😀😀…", "a\xff\xffb": "a\xff\xff…",
	} {
		assert.Same(t, fmt.Sprintf("Shortened(%q)", text), want, form.Shortened(text, 3))
	}
}

// TestShortened_large checks that nothing is made of the rest of a text.
func TestShortened_large(t *testing.T) {
	text := strings.Repeat("ä", 1<<20)
	if allocations := testing.AllocsPerRun(10, func() { _ = form.Shortened(text, 100) }); allocations > 1 {
		t.Errorf("%g allocations for the result alone", allocations)
	}
}
