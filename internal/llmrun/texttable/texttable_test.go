package texttable

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

func TestRows(t *testing.T) {
	t.Parallel()
	const table = "# A comment.\n\n$both = a b\n$more = $both c\none  x $both\n    continued\n two $more:d\n"
	want := [][]string{strings.Fields("one x a b continued"), strings.Fields("two a b c:d")}
	assert.Same(t, "rows", want, slices.Collect(Rows(table)))
	assert.Same(t, "words", []string{"a", "b"}, Words(table, "$both"))
	for range Rows(table) {
		break
	}
}
