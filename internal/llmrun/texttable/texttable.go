package texttable

import (
	"iter"
	"strings"
)

// Rows iterates over the rows of a table, as their words. A line that begins with # is a comment, one that begins with four spaces continues
// the one before, and a line "$name = words" gives words a name in the lines after it.
func Rows(table string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		var names []string
		named := strings.NewReplacer()
		for line := range strings.Lines(strings.ReplaceAll(table, "\n    ", " ")) {
			words := strings.Fields(named.Replace(line))
			switch {
			case len(words) == 0 || words[0][0] == '#':
			case words[0][0] == '$':
				names = append(names, words[0], strings.Join(words[2:], " "))
				named = strings.NewReplacer(names...)
			case !yield(words):
				return
			}
		}
	}
}

// Words returns the words that have a name in a table.
func Words(table, name string) []string {
	_, rest, _ := strings.Cut(strings.ReplaceAll(table, "\n    ", " "), "\n"+name+" ")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Fields(strings.TrimLeft(line, "= "))
}
