package usage

import (
	"slices"
	"strings"
)

// position is where a count stands in relation to the totals.
type position int

const (
	// inside means that the total of the side includes the count.
	inside position = iota
	// outside means that the count is added to the side, and that the reported total of both sides includes it.
	outside
	// apart means that the count is added to the side, and that no reported total includes it.
	apart
)

// reading lists the places that providers document for a count, the usual one first. If there are several, the reported
// total decides, and counts of the same group change places together.
type reading struct {
	group  string
	places []position
}

// row is a count in a usage block.
type row struct {
	// kind is empty for the total of a side.
	kind   string
	output bool
	reading
	// of lists the kinds that include the count, so that it doesn't count for them.
	of []string
	// paths are locations of the count, the first positive one of which counts. Names match in any letter case, with and
	// without underscores.
	paths []string
}

// table says what the counts of a usage block mean.
type table struct {
	// marks are the paths that tell the block from others.
	marks []string
	total []string
	rows  []row
	// restIf are paths. If one has a value, tokens that only the total includes are input tokens of the kind rest.
	restIf []string
	rest   string
}

func input(kind string, r reading, at ...string) row {
	return row{kind: kind, reading: r, paths: paths(at...)}
}

func output(kind string, r reading, at ...string) row {
	return row{kind: kind, output: true, reading: r, paths: paths(at...)}
}

func (r row) partOf(kinds ...string) row {
	r.of = kinds
	return r
}

// count is a positive count of a block.
type count struct {
	*row
	n int64
}

// sums are the counts of a block by side: output is the second.
type sums struct {
	base    [2]*int64
	counts  []count
	details [2]Counts
}

func (r *row) side() int { return rank(r.output) }

// read returns the counts of a block: one of each kind, with each token in one kind.
func (t *table) read(b *providerBlock) sums {
	var s sums
	var parts []count
	for i := range t.rows {
		r := &t.rows[i]
		n := b.count(r.paths...)
		switch {
		case r.kind == "":
			s.base[r.side()] = n
		case orZero(n) == 0:
		case r.of != nil:
			parts = append(parts, count{r, *n})
			s.details[r.side()] = s.details[r.side()].plus(r.kind, *n)
		default:
			if whole := s.of(r.kind, r); whole.n == 0 {
				whole.n = *n
			}
		}
	}
	parted := [2]Counts{}
	for _, part := range parts {
		for _, kind := range part.of {
			s.of(kind, part.row)
			parted[part.side()] = parted[part.side()].plus(kind, part.n)
		}
	}
	for i := range s.counts {
		c := &s.counts[i]
		part, _ := parted[c.side()][c.kind].Int64()
		c.n = max(c.n, part) // A provider may count the parts only.
		if c.n > part {
			s.details[c.side()] = s.details[c.side()].plus(c.kind, c.n-part)
		}
	}
	return s
}

// of returns the count of a kind, which is new if it is the first one of that kind.
func (s *sums) of(kind string, r *row) *count {
	for i := range s.counts {
		if c := &s.counts[i]; c.kind == kind && c.output == r.output {
			return c
		}
	}
	s.counts = append(s.counts, count{row: &row{kind: kind, output: r.output, reading: r.reading}})
	return &s.counts[len(s.counts)-1]
}

// groups lists the groups whose counts have several documented places, and the number of these.
func (s *sums) groups() (names []string, sizes []int) {
	for _, c := range s.counts {
		if len(c.places) > 1 && c.n > 0 && !slices.Contains(names, c.group) {
			names, sizes = append(names, c.group), append(sizes, len(c.places))
		}
	}
	return names, sizes
}

// sides are the totals that follow from a choice of places. Reported leaves out the counts that no total includes.
type sides struct {
	total    [2]int64
	reported int64
	possible bool
}

// at returns the totals with each group at the place that choice has for it.
func (s *sums) at(groups []string, choice []int) sides {
	all := sides{total: [2]int64{orZero(s.base[0]), orZero(s.base[1])}, possible: true}
	all.reported = addTokens(all.total[0], all.total[1])
	at := func(c count) position {
		if i := slices.Index(groups, c.group); i >= 0 {
			return c.places[choice[i]]
		}
		return c.places[0]
	}
	for _, c := range s.counts {
		switch at(c) {
		case outside:
			all.reported = addTokens(all.reported, c.n)
			fallthrough
		case apart:
			all.total[c.side()] = addTokens(all.total[c.side()], c.n)
		}
	}
	for _, c := range s.counts {
		// A part is never more than its total.
		if base := s.base[c.side()]; len(c.places) > 1 && at(c) == inside && base != nil && c.n > *base {
			all.possible = false
		}
	}
	return all
}

// decide chooses the usual places if they fit the reported total, or else the only others that do; ok says whether some do.
// Without a total that covers both sides, it chooses the first possible ones.
func (s *sums) decide(total *int64) (chosen sides, ok bool) {
	groups, sizes := s.groups()
	choice := make([]int, len(groups))
	usual := s.at(groups, choice)
	checked := total != nil && s.base[0] != nil && s.base[1] != nil
	if usual.possible && (!checked || usual.reported == *total) {
		return usual, true
	}
	var fitting []sides
	for next(choice, sizes) {
		if other := s.at(groups, choice); other.possible && (!checked || other.reported == *total) {
			if !checked {
				return other, true
			}
			if !slices.Contains(fitting, other) {
				fitting = append(fitting, other)
			}
		}
	}
	if len(fitting) == 1 {
		return fitting[0], true
	}
	return usual, !checked
}

// next counts up; it says whether there is another choice.
func next(choice, sizes []int) bool {
	for i := range choice {
		if choice[i]++; choice[i] < sizes[i] {
			return true
		}
		choice[i] = 0
	}
	return false
}

// paths are paths in the spelling in which a block has them.
func paths(names ...string) []string {
	for i, name := range names {
		names[i] = plain(name)
	}
	return names
}

// plain is a name without underscores in lower case: SDKs convert the names of the wire to camel case.
func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
