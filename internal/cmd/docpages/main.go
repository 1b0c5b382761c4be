package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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

// run shortens all pages below a directory, and fills in the tables of a corpus.
func run(directory, corpus string) error {
	programs, err := readPrograms(corpus)
	if err != nil {
		return err
	}
	filled := tables(programs)
	return filepath.WalkDir(directory, func(name string, entry fs.DirEntry, err error) error { //nolint:gosec // The caller names it.
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name) //nolint:gosec // The pages were generated just before.
		if err != nil {
			return err
		}
		if short := filled.Replace(shorten(string(text))); short != string(text) {
			return os.WriteFile(name, []byte(short), 0o644) //nolint:gosec // Everybody may read documentation.
		}
		return nil
	})
}

var (
	// beginning matches the beginning of the section of a nested attribute, with its anchor and its path.
	beginning = regexp.MustCompile("(?m)^<a id=\"(nestedatt--[^\"]+)\"></a>\n### Nested Schema for `([^`]+)`\n")
	// next matches what follows the last section.
	next = regexp.MustCompile(`(?m)^## `)
)

// section is a nested attribute: its own text, and the whole with everything below it, which follows it.
type section struct {
	anchor, path, own, whole string
}

// shorten returns a page with links in place of repeated sections, and with shorter references to the others.
func shorten(page string) string {
	first := beginning.FindStringIndex(page)
	if first == nil {
		return page
	}
	end := len(page)
	if following := next.FindStringIndex(page[first[0]:]); following != nil {
		end = first[0] + following[0]
	}
	sections := sectionsOf(page[first[0]:end])
	var kept strings.Builder
	linked := "" // The anchor of the last section that is only a link.
	for i, s := range sections {
		if linked != "" && s.below(linked) {
			continue
		}
		linked = ""
		if link := s.linkTo(sections[:i]); link != "" {
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
	return strings.ReplaceAll(text, "(see [below for nested schema](#", "(see [below](#")
}

// sectionsOf returns the nested attributes in their order.
func sectionsOf(text string) []section {
	found := beginning.FindAllStringSubmatchIndex(text, -1)
	sections := make([]section, len(found))
	for i, at := range found {
		s := section{anchor: text[at[2]:at[3]], path: text[at[4]:at[5]], own: text[at[0]:], whole: text[at[0]:]}
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

// linkTo returns a section with a link to an earlier one that says the same, or "" if there is none or the link would be longer.
func (s section) linkTo(earlier []section) string {
	for _, other := range earlier {
		if s.below(other.anchor) || other.shape() != s.shape() {
			continue
		}
		link := fmt.Sprintf("<a id=%q></a>\n### Nested Schema for %#q\n\nThe same as for [%#q](#%s).\n\n", s.anchor, s.path, other.path, other.anchor)
		if len(link) < len(s.whole) {
			return link
		}
	}
	return ""
}

// shape is the text of a section and of those below it, without its own path.
func (s section) shape() string {
	return strings.TrimSpace(strings.NewReplacer(s.anchor, "", s.path, "").Replace(s.whole))
}
