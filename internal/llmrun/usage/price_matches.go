package usage

import (
	"regexp"
	"regexp/syntax"
	"sync"
	"sync/atomic"
)

// LongestMatch is the length in bytes of the longest name that prices match. A longer one has no price: matching takes time in proportion
// to the length, for each pattern, and a client may send a whole document in place of a name.
const LongestMatch = 256

// mostMatched limits how many names are remembered: clients may make up any number of them.
const mostMatched = 1000

// matches are the patterns of a price map, each compiled once, and which names they match.
type matches struct {
	patterns []*regexp.Regexp

	mu     sync.Mutex
	byName map[string]verdicts
}

// verdicts say of each pattern whether it matches a name.
type verdicts []atomic.Int32

const (
	unknown = iota
	yes
	no
)

// compile returns the position of a pattern, and adds it unless it is known.
func (m *matches) compile(pattern string, known map[string]int) (int, error) {
	if at, is := known[pattern]; is {
		return at, nil
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return 0, err
	}
	m.patterns = append(m.patterns, compiled)
	known[pattern] = len(m.patterns) - 1
	return known[pattern], nil
}

// of returns the verdicts on a name.
func (m *matches) of(name string) verdicts {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, is := m.byName[name]
	if is {
		return known
	}
	if len(m.byName) >= mostMatched {
		for other := range m.byName { // Any: whoever sends so many names repeats few of them.
			delete(m.byName, other)
			break
		}
	}
	known = make(verdicts, len(m.patterns))
	m.byName[name] = known
	return known
}

// matcher answers questions about one call, whose entries nearly all match the same name.
type matcher struct {
	*matches
	name  string
	known verdicts
}

// verdict returns what is known about a pattern and a name; nil if the name can't match.
func (m *matcher) verdict(pattern int, name string) *atomic.Int32 {
	if name == "" || len(name) > LongestMatch {
		return nil
	}
	if name != m.name {
		m.name, m.known = name, m.of(name)
	}
	return &m.known[pattern]
}

// match says whether a pattern matches a name. Without a lock, because nobody should wait for a long match: two callers may find out the
// same.
func (m *matcher) match(pattern int, name string) bool {
	verdict := m.verdict(pattern, name)
	if verdict == nil {
		return false
	}
	if verdict.Load() == unknown {
		if m.patterns[pattern].MatchString(name) {
			verdict.Store(yes)
		} else {
			verdict.Store(no)
		}
	}
	return verdict.Load() == yes
}

// knows says whether match needs no matching.
func (m *matcher) knows(pattern int, name string) bool {
	verdict := m.verdict(pattern, name)
	return verdict == nil || verdict.Load() != unknown
}

// PatternSize returns the number of steps of a compiled pattern. One that lists many characters counts as more. An invalid pattern has
// none.
func PatternSize(pattern string) int {
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
