package usage

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
)

// position is where a count stands in relation to the totals.
type position int

const (
	inside  position = iota // inside means that the total of the side includes the count
	outside                 // outside means that the count is added to the side, and that the reported total of both sides includes it
	apart                   // apart means that the count is added to the side, and that no reported total includes it
)

// positions are their words in the table.
var positions = [...]string{inside: "inside", outside: "outside", apart: "apart"}

// reading lists the positions that providers document for counts, the usual one first. If there are several, the reported
// total decides, and all counts with the reading change positions together.
type reading []position

// row is a count in a usage block.
type row struct {
	kind string // empty for the total of a side
	// side is 0 for the input and 1 for the output.
	side    int
	reading *reading
	// of lists the kinds that include the count, so that it doesn't count for them. Their own rows come before.
	of    []string
	paths []*path // locations of the count, the first positive one of which counts
}

// table says what the counts of a usage block mean.
type table struct {
	// marks are the paths that tell the block from others.
	marks []*path
	rows  []row
}

// count is the number of tokens of a kind, and how many of them belong to parts with a kind of their own.
type count struct {
	*row
	kind     string
	n, parts int64
}

// sums are the counts of a block. Details have each token in one kind.
type sums struct {
	base    [2]*int64
	counts  []count
	details [2]Counts
}

func (t *table) read(b *providerBlock) sums {
	s := sums{counts: make([]count, 0, 8)}
	for i := range t.rows {
		r := &t.rows[i]
		n := b.count(r.paths)
		switch {
		case r.kind == "":
			s.base[r.side] = n
		case orZero(n) == 0:
		case r.of == nil:
			if whole := s.of(r.kind, r); whole.n == 0 {
				whole.n = *n
			}
		default:
			s.details[r.side] = s.details[r.side].plus(r.kind, *n)
			for _, kind := range r.of {
				whole := s.of(kind, r)
				whole.parts = addTokens(whole.parts, *n)
			}
		}
	}
	for i := range s.counts {
		c := &s.counts[i]
		c.n = max(c.n, c.parts) // A provider may count the parts only.
		if c.n > c.parts {
			s.details[c.side] = s.details[c.side].plus(c.kind, c.n-c.parts)
		}
	}
	return s
}

// of returns the count of a kind, which is new if r is its first row.
func (s *sums) of(kind string, r *row) *count {
	i := slices.IndexFunc(s.counts, func(c count) bool { return c.kind == kind && c.side == r.side })
	if i < 0 {
		i, s.counts = len(s.counts), append(s.counts, count{row: r, kind: kind})
	}
	return &s.counts[i]
}

// sides are the totals that follow from a choice of positions. Reported leaves out the counts that no total includes.
type sides struct {
	total    [2]int64
	reported int64
	possible bool
}

// at returns the totals with a choice of positions, of which 0 is the usual one; ok says whether there is such a choice.
func (s *sums) at(choice int) (all sides, ok bool) {
	all = sides{total: [2]int64{orZero(s.base[0]), orZero(s.base[1])}, possible: true}
	all.reported = addTokens(all.total[0], all.total[1])
	chosen := map[*reading]position{}
	for _, c := range s.counts {
		at, known := chosen[c.reading]
		if !known {
			positions := *c.reading
			at = positions[choice%len(positions)]
			chosen[c.reading], choice = at, choice/len(positions)
		}
		if at != inside {
			all.total[c.side] = addTokens(all.total[c.side], c.n)
		} else if base := s.base[c.side]; len(*c.reading) > 1 && base != nil && c.n > *base {
			all.possible = false // A part is never more than its total.
		}
		if at == outside {
			all.reported = addTokens(all.reported, c.n)
		}
	}
	return all, choice == 0
}

// decide chooses the usual positions if they fit the reported total, or else the only others that do; ok says whether some do.
// Without a total that covers both sides, it chooses the first possible ones.
func (s *sums) decide(total *int64) (chosen sides, ok bool) {
	checked := total != nil && s.base[0] != nil && s.base[1] != nil
	fits := func(t sides) bool { return t.possible && (!checked || t.reported == *total) }
	usual, _ := s.at(0)
	if fits(usual) {
		return usual, true
	}
	var fitting []sides
	for choice := 1; ; choice++ {
		other, ok := s.at(choice)
		if !ok {
			break
		}
		if fits(other) && !slices.Contains(fitting, other) {
			fitting = append(fitting, other)
		}
	}
	if len(fitting) == 1 || len(fitting) > 1 && !checked {
		return fitting[0], true
	}
	return usual, !checked
}

//go:embed counts.txt
var countsText string

// tables are in order of evidence: the first one that has a mark in a block is the block's. valuePaths are the paths of other values, and
// unitPaths those of numbers of units.
var tables, valuePaths, unitPaths = readTables(countsText)

var (
	geminiTable, chatTable, sidesTable = tables[0], tables[1], tables[3]
	totalPaths, tierPaths              = valuePaths["total"], valuePaths["tier"]
)

// added is the reading of what only the reported total includes.
var added = &reading{outside}

// media are the kinds of content that providers tell apart.
var media = []string{"text", "audio", "image", "video", "document"}

// readTables reads counts.txt, which explains itself.
func readTables(text string) (all []*table, values map[string][]*path, units map[*path][]unit) {
	values, units = map[string][]*path{}, map[*path][]unit{}
	readings := map[string]*reading{}
	for words := range texttable.Rows(text) {
		line := strings.Join(words, " ")
		name, isValue := strings.CutSuffix(words[0], ":")
		switch {
		case name == "unit":
			for _, word := range words[2:] {
				at, u := newUnit(words[1], word)
				units[paths(at)[0]] = append(units[paths(at)[0]], u)
			}
		case isValue:
			values[name] = append(values[name], paths(words[1:]...)...)
		case name == "reading":
			r := reading{}
			for _, word := range words[2:] {
				r = append(r, position(slices.Index(positions[:], word)))
			}
			readings[words[1]] = &r
		case name == "=":
			all = append(all, &table{marks: paths(words[2:]...)})
		default:
			t := all[len(all)-1]
			mark, of := "*", media
			if strings.Contains(line, "+") {
				mark, of = "+", media[1:]
			} else if !strings.Contains(line, mark) {
				of = media[:1]
			}
			for _, medium := range of {
				words := strings.Fields(strings.ReplaceAll(line, mark, medium))
				t.rows = append(t.rows, newRow(words, readings[words[2]]))
			}
		}
	}
	return all, values, units
}

func newRow(words []string, r *reading) row {
	made := row{kind: strings.TrimPrefix(words[1], "-"), reading: r}
	if words[0] == "output" {
		made.side = 1
	}
	if words[3] == "<" {
		made.of, words = strings.Split(words[4], ","), words[2:]
	}
	made.paths = paths(words[3:]...)
	return made
}
