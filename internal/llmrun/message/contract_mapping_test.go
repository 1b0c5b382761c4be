package message_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// mapping is contract/mapping.txt, which describes itself. The keys are unions, then members or selectors.
type mapping struct {
	templates map[string]map[string]*template
	entries   map[string]map[string]*entry
}

// template is a document in which samples are read.
type template struct {
	format string
	side   document.Side
	text   string
}

// entry is what a member is mapped to, or why it is kept aside.
type entry struct {
	clauses []clause
	aside   string
	// refused is the rule that samples may break, because the service refuses what the types allow.
	refused string
}

// clause is a block that a sample must become.
type clause struct {
	kind   string
	fields []field
}

// field is where a sample has what a field of the block must contain.
type field struct{ name, pointer string }

func readMapping(t *testing.T) *mapping {
	t.Helper()
	text, err := os.ReadFile("contract/mapping.txt")
	assert.Must(t, err)
	m := &mapping{map[string]map[string]*template{}, map[string]map[string]*entry{}}
	var unions []string
	heading := false
	for number, line := range strings.Split(string(text), "\n") {
		head, isHeading := strings.CutPrefix(line, "= ")
		if isHeading && !heading {
			unions = nil
		}
		heading = isHeading
		switch {
		case isHeading:
			pkg, names, _ := strings.Cut(head, ": ")
			for name := range strings.FieldsSeq(names) {
				unions = append(unions, pkg+" "+name)
			}
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "! "):
			if !m.addRefusal(unions, line[2:]) {
				t.Fatalf("mapping.txt:%d: %s", number+1, line)
			}
		case strings.HasPrefix(line, "@ "):
			if !m.addTemplate(unions, line[2:]) {
				t.Fatalf("mapping.txt:%d: %s", number+1, line)
			}
		default:
			if !m.addEntry(unions, line) {
				t.Fatalf("mapping.txt:%d: %s", number+1, line)
			}
		}
	}
	return m
}

// addTemplate reads "SELECTOR FORMAT SIDE DOC". A selector may contain spaces.
func (m *mapping) addTemplate(unions []string, line string) bool {
	for _, side := range []document.Side{document.Inputs, document.Outputs} {
		head, text, ok := strings.Cut(line, " "+side.String()+" ")
		at := strings.LastIndex(head, " ")
		if !ok || at < 0 {
			continue
		}
		for _, union := range unions {
			put(m.templates, union, head[:at], &template{head[at+1:], side, text})
		}
		return true
	}
	return false
}

// addEntry reads "MEMBER, ... -> KIND POINTER ...; ..." or "MEMBER, ... -> aside: REASON".
func (m *mapping) addEntry(unions []string, line string) bool {
	names, text, ok := strings.Cut(line, " -> ")
	if !ok || text == "" {
		return false
	}
	e := &entry{}
	if reason, isAside := strings.CutPrefix(text, "aside: "); isAside {
		e.aside = reason
	} else {
		for part := range strings.SplitSeq(text, "; ") {
			words := strings.Fields(part)
			c := clause{kind: words[0]}
			for _, word := range words[1:] {
				name, pointer, named := strings.Cut(word, "=")
				if !named {
					name, pointer = "", word
				}
				c.fields = append(c.fields, field{name, pointer})
			}
			e.clauses = append(e.clauses, c)
		}
	}
	for name := range strings.SplitSeq(names, ", ") {
		shared := *e // One for each name, so that a name which no union has is found.
		for _, union := range unions {
			put(m.entries, union, name, &shared)
		}
	}
	return true
}

// addRefusal reads "MEMBER RULE: REASON", after the line of the member.
func (m *mapping) addRefusal(unions []string, line string) bool {
	head, reason, _ := strings.Cut(line, ": ")
	name, rule, ok := strings.Cut(head, " ")
	for _, union := range unions {
		e := m.entries[union][name]
		if e == nil || !ok || reason == "" {
			return false
		}
		e.refused = rule
	}
	return true
}

func put[T any](m map[string]map[string]*T, union, key string, value *T) {
	if m[union] == nil {
		m[union] = map[string]*T{}
	}
	m[union][key] = value
}

func (m *mapping) entry(member contractMember) *entry {
	return m.entries[member.union()][member.Member]
}

func (m *mapping) template(member contractMember, clauses []clause) *template {
	var kinds, selectors []string
	for _, c := range clauses {
		kinds = append(kinds, c.kind)
		selectors = append(selectors, member.Member+" "+c.kind)
	}
	selectors = append(append(selectors, member.Member), kinds...)
	for _, selector := range append(selectors, "*") {
		if t := m.templates[member.union()][selector]; t != nil {
			return t
		}
	}
	return nil
}

// with puts a sample into the document.
func (t *template) with(member contractMember, sample any, clauses []clause) string {
	first := func(name string) string {
		for _, c := range clauses {
			for _, f := range c.fields {
				if values := at(sample, f.pointer); f.name == name && len(values) > 0 {
					text, _ := values[0].(string)
					return text
				}
			}
		}
		return "x"
	}
	quote := func(s string) string {
		text, _ := json.Marshal(s)
		return string(text)
	}
	item := "x"
	for _, pointer := range []string{"/id", "/toolCallId", "/item_id"} {
		if ids := at(sample, pointer); len(ids) > 0 {
			item, _ = ids[0].(string)
		}
	}
	part, _ := json.Marshal(sample)
	return strings.NewReplacer(`"ID"`, quote(first("id")), `"NAME"`, quote(first("name")), `"TYPE"`, quote(member.Member),
		`"ITEM"`, quote(item), "PART", string(part)).Replace(t.text)
}

// has reports whether a sample has what the block must contain, beside IDs and names unless there is nothing else.
func (c clause) has(sample any) bool {
	isName := func(f field) bool { return f.name == "id" || f.name == "name" }
	onlyNames := !slices.ContainsFunc(c.fields, func(f field) bool { return !isName(f) })
	return slices.ContainsFunc(c.fields, func(f field) bool { return (onlyNames || !isName(f)) && len(at(sample, f.pointer)) > 0 })
}

// brings reports whether a sample has anything that the block must contain.
func (c clause) brings(sample any) bool {
	return slices.ContainsFunc(c.fields, func(f field) bool { return len(at(sample, f.pointer)) > 0 })
}

// isContent reports whether the block is text, reasoning or media.
func (c clause) isContent() bool {
	return c.kind == "media" || c.kind == document.BlockText || c.kind == document.BlockReasoning || slices.Contains(media, c.kind)
}

// of returns the clause for a sample: a call that the provider has executed is a server's, and an event's part may be a thought.
func (c clause) of(sample any) clause {
	object, _ := sample.(map[string]any)
	inner, _ := object["toolUse"].(map[string]any)
	if types := at(sample, "/part/type"); c.kind == document.BlockText && len(types) > 0 && types[0] == "reasoning_text" {
		c.kind = document.BlockReasoning
	}
	isCall := c.kind == document.BlockToolCall || c.kind == "tool_result"
	if isCall && (object["providerExecuted"] == true || inner["type"] == "server_tool_use") {
		c.kind = "server_" + c.kind
	}
	return c
}

var media = []string{document.BlockImage, document.BlockAudio, document.BlockVideo, document.BlockFile}

// types returns the types that the block may have. That of a file may follow from its media type.
func (c clause) types(sample any) []string {
	if c.kind != "media" && c.kind != document.BlockFile {
		return []string{c.kind}
	}
	kind := ""
	if mime := mimeType(sample); mime != "" {
		kind, _, _ = strings.Cut(mime, "/")
		if !slices.Contains(media, kind) {
			kind = document.BlockFile
		}
	}
	switch {
	case c.kind == document.BlockFile:
		return []string{document.BlockFile, kind}
	case kind == "":
		return media
	default:
		types := []string{kind}
		for _, own := range at(sample, "/content/type") { // A sample of an audio may have the media type of an image.
			name, _ := own.(string)
			types = append(types, name)
		}
		return types
	}
}

// mimeType returns the first media type in a sample.
func mimeType(value any) string {
	switch value := value.(type) {
	case string:
		if slices.Contains([]string{"image/png", "audio/wav", "video/mp4", "application/pdf", "text/plain"}, value) {
			return value
		}
	case map[string]any:
		for v := range values(value) {
			if mime := mimeType(v); mime != "" {
				return mime
			}
		}
	}
	return ""
}

// at returns the values at a pointer, in which * stands for each element and $ at the end demands a string, or at
// the first of several pointers that has any.
func at(value any, pointer string) []any {
	if first, rest, several := strings.Cut(pointer, "|"); several {
		if found := at(value, first); len(found) > 0 {
			return found
		}
		return at(value, rest)
	}
	rest, ok := strings.CutPrefix(pointer, "/")
	if _, isString := value.(string); pointer == "$" && !isString {
		return nil
	}
	if !ok {
		return []any{value}
	}
	key, rest, more := strings.Cut(rest, "/")
	if more {
		rest = "/" + rest
	} else if name, isString := strings.CutSuffix(key, "$"); isString {
		key, rest = name, "$"
	}
	switch value := value.(type) {
	case map[string]any:
		if inner, ok := value[key]; ok && inner != nil {
			return at(inner, rest)
		}
	case []any:
		var out []any
		for i, inner := range value {
			if key == "*" || key == strconv.Itoa(i) {
				out = append(out, at(inner, rest)...)
			}
		}
		return out
	}
	return nil
}
