package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzReadRunCursor(f *testing.F) {
	for _, text := range []string{"", "e30", "!", EncodeCursor(runCursor{1, 2, false}), EncodeCursor(map[string]any{"t": 1, "i": "t"})} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, ascending bool) {
		at, err := readRunCursor(text, ascending)
		if err != nil || text == "" {
			if at != nil {
				t.Errorf("%q is refused, but parsed as %v", text, at)
			}
			return
		}
		again, err := readRunCursor(EncodeCursor(runCursor{at.StartTime.UnixMicro(), at.Seq, ascending}), ascending)
		if diff := cmp.Diff(at, again); err != nil || diff != "" {
			t.Errorf("%q changes when encoded again: %v\n%s", text, err, diff)
		}
	})
}
