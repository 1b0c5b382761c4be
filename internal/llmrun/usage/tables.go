package usage

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed counts.txt
var countsText string

// tables are in order of evidence: the first one that has a mark in a block is the block's. valuePaths are the paths of other values.
var tables, valuePaths = readTables(countsText)

var (
	geminiTable, chatTable, sidesTable = tables[0], tables[1], tables[2]
	totalPaths, tierPaths              = valuePaths["total"], valuePaths["tier"]
)

// added is the reading of what only the reported total includes.
var added = &reading{outside}

// media are the kinds of content that providers tell apart.
var media = []string{"text", "audio", "image", "video", "document"}

// readTables reads counts.txt, which explains itself.
func readTables(text string) (all []*table, values map[string][]*path) {
	values = map[string][]*path{}
	readings := map[string]*reading{}
	for line := range strings.Lines(strings.ReplaceAll(text, "\n    ", " ")) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		name, isValue := strings.CutSuffix(words[0], ":")
		switch {
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
	return all, values
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
