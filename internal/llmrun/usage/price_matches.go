package usage

import (
	"regexp"
	"sync"
)

// LongestMatch is the length in bytes of the longest name that prices match. A longer one has no price: matching takes time in proportion
// to the length, for each pattern, and a client may send a whole document in place of a name.
const LongestMatch = 256

// mostMatched limits how many names are remembered: clients may make up any number of them.
const mostMatched = 1000

// matches are the patterns of a price map, each compiled once, and which of them match a name.
type matches struct {
	patterns []*regexp.Regexp

	mu     sync.Mutex
	byName map[string][]bool
}

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

// known returns which patterns match a name; nil if nobody has asked yet.
func (m *matches) known(name string) []bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.byName[name]
}

// of is known, but finds it out. It matches without a lock, because nobody should wait for a long match: two callers may find out the
// same.
func (m *matches) of(name string) []bool {
	matched := m.known(name)
	if matched != nil || len(m.patterns) == 0 {
		return matched
	}
	matched = make([]bool, len(m.patterns))
	for i, pattern := range m.patterns {
		matched[i] = pattern.MatchString(name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.byName) >= mostMatched {
		for other := range m.byName { // Any: whoever sends so many names repeats few of them.
			delete(m.byName, other)
			break
		}
	}
	m.byName[name] = matched
	return matched
}

func canMatch(name string) bool { return name != "" && len(name) <= LongestMatch }
