package price

import (
	"encoding/json"
	"regexp/syntax"
	"sync"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// bounded refuses a new entry, or another pattern of an entry, if matching the name of a model would take too long with all rows of its workspace.
func (s *Service) bounded(rows []store.ModelPrice, row store.ModelPrice, pattern string) error {
	before := map[string]bool{}
	patterns := map[string]bool{pattern: true} // Equal ones are matched once.
	added := true
	for _, other := range rows {
		var entry struct {
			Pattern string `json:"match_pattern"`
		}
		if err := json.Unmarshal([]byte(other.Entry), &entry); err != nil {
			return err
		}
		before[entry.Pattern] = true
		if other.ID == row.ID {
			added = false
			continue
		}
		patterns[entry.Pattern] = true
	}
	if added && len(rows) >= limits.ModelPrices {
		return form.Refuse(form.Unprocessable, "The workspace has %d model prices, and the limit is %d. Delete those that aren't needed.",
			len(rows), limits.ModelPrices)
	}
	size := s.sizes.together(patterns)
	if size <= limits.PatternSteps || before[pattern] {
		return nil
	}
	return form.Problem(form.Body("match_pattern"), "value_error",
		"With this pattern, those of the workspace have %d steps when they are compiled, and the limit is %d: "+
			"repeat less, as in {100}, and list fewer characters, as in \\pL", size, limits.PatternSteps)
}

// sizes remembers the sizes of patterns: computing them takes as long as compiling.
type sizes struct {
	mu        sync.Mutex
	byPattern map[string]int
}

// together returns the total size of patterns.
func (s *sizes) together(patterns map[string]bool) (size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byPattern == nil || len(s.byPattern) > 10*limits.ModelPrices {
		s.byPattern = map[string]int{}
	}
	for pattern := range patterns {
		if _, known := s.byPattern[pattern]; !known {
			s.byPattern[pattern] = patternSize(pattern)
		}
		size += s.byPattern[pattern]
	}
	return size
}

// patternSize returns the number of steps of a compiled pattern. One that lists many characters counts as more. An invalid pattern has
// none.
func patternSize(pattern string) int {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	size := 0
	for _, step := range program.Inst {
		size += max(1, len(step.Rune))
	}
	return size
}
