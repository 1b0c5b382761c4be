package texttable

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRows(t *testing.T) {
	t.Parallel()
	const table = "# A comment.\n\n$both = a b\n$more = $both c\none  x $both\n    continued\n two $more:d\n"
	want := [][]string{strings.Fields("one x a b continued"), strings.Fields("two a b c:d")}
	if diff := cmp.Diff(want, slices.Collect(Rows(table))); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, Words(table, "$both")); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	for range Rows(table) {
		break
	}
}
