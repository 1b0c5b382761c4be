package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
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

// run shortens all pages below a directory, in the order of their names, keeps the first sentence of the descriptions in their heads, moves
// deprecated attributes to the end of their lists, and fills in the tables of a corpus.
func run(directory, corpus string) error {
	programs, err := readPrograms(corpus)
	if err != nil {
		return err
	}
	filled := tables(programs)
	generated, all := map[string]string{}, []section{}
	err = filepath.WalkDir(directory, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name) //nolint:gosec // The pages were generated just before.
		if err != nil {
			return err
		}
		generated[name] = deprecatedLast(string(text))
		all = append(all, sectionsOf(generated[name], name)...)
		return nil
	})
	if err != nil {
		return err
	}
	for name, text := range generated {
		short := filled.Replace(heading.ReplaceAllString(oneNote(shorten(text, name, all)), "$1\n---\n"))
		if err := os.WriteFile(name, []byte(short), 0o644); err != nil { //nolint:gosec // Everybody may read documentation.
			return err
		}
	}
	return nil
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
	// note matches the generator's note on write-only arguments.
	note = regexp.MustCompile(`(?m)^> \*\*NOTE\*\*: \[Write-only.*\n\n`)
	// line matches the name and type of an attribute in a list, and the name of a nested attribute above its list.
	line = regexp.MustCompile("(?m)^(?:- `([^`]+)` \\(([^),]+)|### Nested Schema for `([^`]+)`)")
)

// oneNote removes all notes on write-only arguments but the first. The documentation generator writes one above each list that has some.
func oneNote(page string) string {
	first := note.FindStringIndex(page)
	if first == nil {
		return page
	}
	return page[:first[1]] + note.ReplaceAllString(page[first[1]:], "")
}

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

// section is a nested attribute, or the schema of the page: its own text, and the whole with everything below it, which follows it.
type section struct {
	page, anchor, path, own, whole string
}

// shorten returns a page with links in place of sections that repeat one of its own, a long one of an earlier page in the same directory, or
// the attributes of a resource; and with shorter references to the others. all are the sections of all pages in their order.
func shorten(page, name string, all []section) string {
	first := beginning.FindStringIndex(page)
	if first == nil {
		return page
	}
	sections := sectionsOf(page, name)[1:]
	before := all[:slices.IndexFunc(all, func(s section) bool { return s.page == name })]
	var kept strings.Builder
	linked := "" // The anchor of the last section that is only a link.
	for i, s := range sections {
		if linked != "" && s.below(linked) {
			continue
		}
		linked = ""
		if link := cmp.Or(s.linkTo(sections[:i]), s.counterpart(all), s.linkTo(before)); link != "" {
			kept.WriteString(link)
			linked = s.anchor
		} else {
			kept.WriteString(s.own)
		}
	}
	text := page[:first[0]] + kept.String()
	if end := endOf(page, first[0]); end < len(page) {
		text = strings.TrimRight(text, "\n") + "\n\n" + page[end:]
	}
	return strings.ReplaceAll(text, "(see [below for nested schema](#", "(see [below](#")
}

// endOf returns where the schema ends whose sections begin at an offset.
func endOf(page string, begin int) int {
	if following := next.FindStringIndex(page[begin:]); following != nil {
		return begin + following[0]
	}
	return len(page)
}

// sectionsOf returns the schema of a page, and its nested attributes in their order.
func sectionsOf(text, page string) []section {
	begin := strings.Index(text, "## Schema\n")
	if begin < 0 {
		return nil
	}
	text = text[begin:endOf(text, begin+1)]
	found := beginning.FindAllStringSubmatchIndex(text, -1)
	sections := []section{{page: page, anchor: "schema", whole: text}}
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
		sections = append(sections, s)
	}
	return sections
}

// below reports whether the section is of an attribute below that of an anchor.
func (s section) below(anchor string) bool { return strings.HasPrefix(s.anchor, anchor+"--") }

// linkTo returns a section with a link to an earlier one that says the same, or "" if there is none, or if it doesn't save enough.
func (s section) linkTo(earlier []section) string {
	for _, other := range earlier {
		if s.below(other.anchor) || other.shape() != s.shape() || filepath.Dir(other.page) != filepath.Dir(s.page) {
			continue
		}
		if other.page == s.page {
			return s.link(1, "The same as for [%#q](#%s).", other.path, other.anchor)
		}
		page := filepath.Base(other.page)
		return s.link(4, "The same as for [%#q of `agentplane_%s`](%s#%s).", other.path, strings.TrimSuffix(page, ".md"), page, other.anchor)
	}
	return ""
}

// counterpart returns a section of a data source with a link to the resource, or of one that lists objects to that for a single one, if
// those have all of its attributes and at most four others.
func (s section) counterpart(all []section) string {
	directory, page := filepath.Split(s.page)
	if filepath.Base(directory) != "data-sources" {
		return ""
	}
	noun, path := strings.TrimSuffix(page, ".md"), s.path
	if one, plural := strings.CutSuffix(noun, "s"); plural {
		noun = one
		_, path, _ = strings.Cut(path, ".")
	}
	for _, kind := range []string{"data-sources", "resources"} {
		at := slices.IndexFunc(all, func(other section) bool {
			return other.page == filepath.Join(directory, "..", kind, noun+".md") && other.page != s.page && other.path == path
		})
		if at < 0 {
			continue
		}
		own, others := s.attributes(), all[at].attributes()
		if len(without(own, others)) > 0 || len(without(others, own)) > 4 {
			continue
		}
		of, except := fmt.Sprintf("`agentplane_%s`", noun), ""
		if path != "" {
			of = fmt.Sprintf("%#q of %s", path, of)
		}
		if rest := without(others, own); len(rest) > 0 {
			except = ", except `" + strings.Join(rest, "`, `") + "`"
		}
		where, _ := filepath.Rel(directory, all[at].page)
		kind = strings.ReplaceAll(strings.TrimSuffix(kind, "s"), "-", " ")
		return s.link(4, "The attributes of the %s [%s](%s#%s)%s.", kind, of, where, all[at].anchor, except)
	}
	return ""
}

// link returns a section with a text in place of its own, or "" if that doesn't save enough: readers leave a page only for a section that is
// several times as long as the link.
func (s section) link(times int, format string, args ...any) string {
	link := fmt.Sprintf("<a id=%q></a>\n### Nested Schema for %#q\n\n%s\n\n", s.anchor, s.path, fmt.Sprintf(format, args...))
	if times*len(link) >= len(s.whole) {
		return ""
	}
	return link
}

// attributes are the types of all attributes below the section's own, by their paths.
func (s section) attributes() map[string]string {
	types, parent := map[string]string{}, ""
	for _, found := range line.FindAllStringSubmatch(s.whole, -1) {
		if found[3] != "" {
			parent = strings.TrimPrefix(found[3], s.path)
		} else {
			types[strings.Trim(parent+"."+found[1], ".")] = found[2]
		}
	}
	return types
}

// without returns the attributes that others don't have, or have with another type.
func without(attributes, others map[string]string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if attributes[name] != others[name] {
			names = append(names, name)
		}
	}
	return names
}

// shape is the text of a section and of those below it, without its own path.
func (s section) shape() string {
	return strings.TrimSpace(strings.NewReplacer(s.anchor, "", s.path, "").Replace(s.whole))
}
