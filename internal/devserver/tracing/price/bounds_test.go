package price

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestNumberBounded expects that a full price map takes no more entries, and that those in it can change.
func TestNumberBounded(t *testing.T) {
	t.Parallel()
	var all []store.ModelPrice
	for i := range 1000 {
		all = append(all, store.ModelPrice{ID: fmt.Sprint(i), Entry: fmt.Sprintf(`{"match_pattern":"^model-%d$"}`, i)})
	}
	var s Service
	if err := s.bounded(all[1:], all[0], "^model-0$"); err != nil {
		t.Errorf("1,000th entry: %v", err)
	}
	if err := s.bounded(all, all[0], "^other$"); err != nil {
		t.Errorf("change of an entry: %v", err)
	}
	err := s.bounded(all, store.ModelPrice{ID: "new"}, "^model-0$")
	if refused, is := errors.AsType[*form.Error](err); !is || refused.Kind != form.Unprocessable || !strings.Contains(err.Error(), "the limit is 1000") {
		t.Errorf("1,001st entry: error = %v, want a refusal that names the limit", err)
	}
}

func TestPatternSize(t *testing.T) {
	t.Parallel()
	for pattern, most := range map[string]int{`^gpt-4o(?:-\d{4}-\d{2}-\d{2})?$`: 100, "(": 0, strings.Repeat("a", 100): 300} {
		if got := patternSize(pattern); got > most {
			t.Errorf("size of %s = %d, want at most %d", pattern, got, most)
		}
	}
	// Short texts that are long when compiled, and that list many characters.
	for pattern, least := range map[string]int{`a{1000}`: 1000, `(?:(?:a?){10}){100}`: 1000, `\pL\pL\pL`: 1000} {
		if got := patternSize(pattern); got < least {
			t.Errorf("size of %s = %d, want at least %d", pattern, got, least)
		}
	}
}
