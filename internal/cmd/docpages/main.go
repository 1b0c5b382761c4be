package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docpages DIRECTORY")
		os.Exit(2)
	}
	if err := run(os.Args[1], "internal/devserver/tracing/testdata/corpus"); err != nil {
		fmt.Fprintln(os.Stderr, "docpages:", err)
		os.Exit(1)
	}
}

// run shortens all pages below a directory, which it visits in the order of their names, keeps the first sentence of the descriptions in their
// heads, moves deprecated attributes to the end of their lists, and fills in the tables of a corpus.
func run(directory, corpus string) error {
	programs, err := readPrograms(corpus)
	if err != nil {
		return err
	}
	filled := tables(programs)
	// The sections of the pages before, as they were generated.
	var earlier []section
	return filepath.WalkDir(directory, func(name string, entry fs.DirEntry, err error) error { //nolint:gosec // The caller names it.
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name) //nolint:gosec // The pages were generated just before.
		if err != nil {
			return err
		}
		short, sections := shorten(deprecatedLast(string(text)), name, earlier)
		earlier = append(earlier, sections...)
		if short = filled.Replace(heading.ReplaceAllString(short, "$1\n---\n")); short != string(text) {
			return os.WriteFile(name, []byte(short), 0o644) //nolint:gosec // Everybody may read documentation.
		}
		return nil
	})
}

var (
	// heading matches the description in the head of a page, which repeats all of the text below it, and its first sentence.
	heading = regexp.MustCompile(`(?s)\A(---\n.*?\ndescription: \|-\n  [^\n]*?\.)(?: [A-Z][^\n]*)?\n(?:  [^\n]*\n)*---\n`)
	// beginning matches the beginning of the section of a nested attribute, with its anchor and its path.
	beginning = regexp.MustCompile("(?m)^<a id=\"(nestedatt--[^\"]+)\"></a>\n### Nested Schema for `([^`]+)`\n")
	// list matches a list of attributes.
	list = regexp.MustCompile("(?m)(?:^- `.*\n)+")
	// next matches what follows the last section.
	next = regexp.MustCompile(`(?m)^## `)
)

// deprecatedLast moves deprecated attributes to the end of their lists. The documentation generator sorts by name.
func deprecatedLast(page string) string {
	return list.ReplaceAllStringFunc(page, func(attributes string) string {
		lines := slices.Collect(strings.Lines(attributes))
		slices.SortStableFunc(lines, func(a, b string) int {
			return cmp.Compare(strings.Count(a, ", Deprecated)"), strings.Count(b, ", Deprecated)"))
		})
		return strings.Join(lines, "")
	})
}

// section is a nested attribute: its own text, and the whole with everything below it, which follows it.
type section struct {
	page, anchor, path, own, whole string
}

// shorten returns a page with links in place of sections that repeat one of its own, or a long one of an earlier page in the same directory,
// and with shorter references to the others. It also returns the sections.
func shorten(page, name string, earlier []section) (string, []section) {
	first := beginning.FindStringIndex(page)
	if first == nil {
		return page, nil
	}
	end := len(page)
	if following := next.FindStringIndex(page[first[0]:]); following != nil {
		end = first[0] + following[0]
	}
	sections := sectionsOf(page[first[0]:end], name)
	var kept strings.Builder
	linked := "" // The anchor of the last section that is only a link.
	for i, s := range sections {
		if linked != "" && s.below(linked) {
			continue
		}
		linked = ""
		if link := cmp.Or(s.linkTo(sections[:i]), s.linkTo(earlier)); link != "" {
			kept.WriteString(link)
			linked = s.anchor
		} else {
			kept.WriteString(s.own)
		}
	}
	text := page[:first[0]] + kept.String()
	if end < len(page) {
		text = strings.TrimRight(text, "\n") + "\n\n" + page[end:]
	}
	return strings.ReplaceAll(text, "(see [below for nested schema](#", "(see [below](#"), sections
}

// sectionsOf returns the nested attributes in their order.
func sectionsOf(text, page string) []section {
	found := beginning.FindAllStringSubmatchIndex(text, -1)
	sections := make([]section, len(found))
	for i, at := range found {
		s := section{page: page, anchor: text[at[2]:at[3]], path: text[at[4]:at[5]], own: text[at[0]:], whole: text[at[0]:]}
		if i+1 < len(found) {
			s.own = text[at[0]:found[i+1][0]]
		}
		for _, later := range found[i+1:] {
			if !(section{anchor: text[later[2]:later[3]]}).below(s.anchor) {
				s.whole = text[at[0]:later[0]]
				break
			}
		}
		sections[i] = s
	}
	return sections
}

// below reports whether the section is of an attribute below that of an anchor.
func (s section) below(anchor string) bool { return strings.HasPrefix(s.anchor, anchor+"--") }

// linkTo returns a section with a link to an earlier one that says the same, or "" if there is none, or if it doesn't save enough: readers
// leave a page only for a section that is four times as long as the link.
func (s section) linkTo(earlier []section) string {
	for _, other := range earlier {
		if s.below(other.anchor) || other.shape() != s.shape() || filepath.Dir(other.page) != filepath.Dir(s.page) {
			continue
		}
		of, page, times := "", "", 1
		if other.page != s.page {
			page, times = filepath.Base(other.page), 4
			of = fmt.Sprintf(" of `agentplane_%s`", strings.TrimSuffix(page, ".md"))
		}
		link := fmt.Sprintf("<a id=%q></a>\n### Nested Schema for %#q\n\nThe same as for [%#q%s](%s#%s).\n\n", s.anchor, s.path, other.path, of, page, other.anchor)
		if times*len(link) < len(s.whole) {
			return link
		}
	}
	return ""
}

// shape is the text of a section and of those below it, without its own path.
func (s section) shape() string {
	return strings.TrimSpace(strings.NewReplacer(s.anchor, "", s.path, "").Replace(s.whole))
}
