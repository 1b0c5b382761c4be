package message_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// contractMember is a line of testdata/contract.json, which contract/list.mjs describes.
type contractMember struct {
	Package, Union, Kind, Member string
	Required, Optional           []string
	Samples                      map[string]json.RawMessage
	Type                         string
}

func (m contractMember) union() string { return m.Package + " " + m.Union }

func (m contractMember) String() string { return m.Package + " | " + m.Union + " | " + m.Member }

func contractMembers(t *testing.T) []contractMember {
	t.Helper()
	text, err := os.ReadFile("../testdata/contract.json")
	assert.Must(t, err)
	var list struct{ Members []contractMember }
	assert.Must(t, json.Unmarshal(text, &list))
	return list.Members
}

// fieldsOfContent are the fields by which a part is known to be said, called or shown.
var fieldsOfContent = []string{
	"text", "thinking", "reasoning", "refusal", "transcript", "arguments", "args", "input", "output", "result", "image", "audio",
	"image_url", "file_data", "errorText",
}

// TestContractMapping demands that each member is mapped or kept aside with a reason, and that nothing which was said or counted is
// kept aside.
func TestContractMapping(t *testing.T) {
	t.Parallel()
	contract, members := readMapping(t), contractMembers(t)
	type counts struct{ mapped, aside, unmapped int }
	packages, used := map[string]*counts{}, map[*entry]bool{}
	for _, m := range members {
		if m.Kind == "usage" {
			continue // Its fields are members.
		}
		if packages[m.Package] == nil {
			packages[m.Package] = &counts{}
		}
		switch e := contract.entry(m); {
		case e == nil:
			packages[m.Package].unmapped++
			t.Errorf("%s: not mapped", m)
		case e.aside != "":
			packages[m.Package].aside++
			used[e] = true
			isContent := func(field string) bool { return slices.Contains(fieldsOfContent, field) }
			if m.Kind == "part" && slices.ContainsFunc(m.Required, isContent) || m.Kind == "field" && isCounter(m) {
				t.Errorf("%s: kept aside, but it has content: %s", m, e.aside)
			}
		default:
			packages[m.Package].mapped++
			used[e] = true
		}
	}
	for union, entries := range contract.entries {
		for member, e := range entries {
			if !used[e] {
				t.Errorf("%s | %s: mapped, but no package declares it", union, member)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		c := packages[name]
		t.Logf("%-34s mapped %3d, kept aside %3d, unmapped %d", name, c.mapped, c.aside, c.unmapped)
	}
}

// isCounter reports whether a field of usage is a number of tokens, of requests or of money.
func isCounter(m contractMember) bool {
	return m.Type == "number" && regexp.MustCompile(`(?i)token|count|cost|requests|units`).MatchString(m.Member)
}

// TestContract reads each sample in a document: it is recognized, the content is in blocks of the kind that the mapping names,
// nothing is lost, and Validate has no objection.
func TestContract(t *testing.T) {
	t.Parallel()
	eachSample(t, []string{"message", "part"}, (*check).read)
}

// TestContractStreams reads each event in a stream: Reduce understands it, and the answer has the content that it brings. Types of
// events allow that they bring nothing.
func TestContractStreams(t *testing.T) {
	t.Parallel()
	eachSample(t, []string{"event"}, (*check).reduce)
}

func eachSample(t *testing.T, kinds []string, run func(*check, *template, []clause)) {
	t.Helper()
	contract, unions := readMapping(t), map[string][]contractMember{}
	for _, m := range contractMembers(t) {
		if e := contract.entry(m); slices.Contains(kinds, m.Kind) && e != nil && (e.aside == "" || m.Kind != "event") {
			unions[m.union()] = append(unions[m.union()], m)
		}
	}
	for union, members := range unions {
		t.Run(strings.ReplaceAll(union, "/", "."), func(t *testing.T) {
			t.Parallel()
			samples, right := 0, 0
			for _, m := range members {
				all := m.samples()
				for _, name := range slices.Sorted(maps.Keys(all)) {
					c := check{member: m, name: name, entry: contract.entry(m), sample: all[name]}
					clauses := c.clauses()
					if selected := contract.template(m, clauses); selected != nil {
						run(&c, selected, clauses)
					} else {
						c.fail("template", "the mapping has no document for it")
					}
					for _, failure := range c.failures {
						t.Error(failure)
					}
					samples++
					if c.failures == nil {
						right++
					}
				}
			}
			t.Logf("%d of %d samples are read rightly", right, samples)
		})
	}
}

// samples returns the samples by name, with those that have one optional field alone or lack it: fields that replace each other are
// never read together.
func (m contractMember) samples() map[string]any {
	all := map[string]any{}
	for name, text := range m.Samples {
		all[name] = decode(text)
	}
	whole, _ := all["all"].(map[string]any)
	if whole == nil {
		whole, _ = all["required"].(map[string]any)
	}
	for _, field := range m.Optional {
		if whole[field] == nil || slices.Contains([]string{"type", "role", m.Member}, field) {
			continue // Without it, it is something else.
		}
		missing, alone := maps.Clone(whole), maps.Clone(whole)
		if missing[field] = nil; !slices.Contains(m.Required, field) {
			delete(missing, field)
		}
		for _, other := range m.Optional {
			if slices.Contains([]string{"type", "role", m.Member, field}, other) {
				continue
			}
			if alone[other] = nil; !slices.Contains(m.Required, other) {
				delete(alone, other)
			}
		}
		all["without "+field], all["only "+field] = missing, alone
	}
	return all
}

// check is one sample.
type check struct {
	member   contractMember
	name     string
	entry    *entry
	sample   any
	document *document.Document
	failures []string
}

func (c *check) fail(rule, format string, args ...any) {
	c.failures = append(c.failures, fmt.Sprintf("%s | %s | %s: %s", c.member, c.name, rule, fmt.Sprintf(format, args...)))
}

// read puts the sample into a document.
func (c *check) read(selected *template, clauses []clause) {
	data := []byte(selected.with(c.member, c.sample, clauses))
	var err error
	if c.document, err = message.Normalize(data, selected.side); err != nil {
		c.fail("json", "%v: %s", err, data)
		return
	}
	if got := c.document.Format; got == document.FormatUnrecognized || selected.format == "*" && got == document.FormatNative ||
		selected.format != "*" && string(got) != selected.format {
		c.fail("format", "read as %s, want %s: %s", got, selected.format, data)
		return
	}
	c.replaced(clauses)
	isEmpty := c.isEmpty(clauses)
	for _, clause := range clauses {
		if !isEmpty {
			c.block(clause)
		}
	}
	native := c.document.Native()
	if lost := missing(string(native), markers(c.sample)); lost != nil {
		c.fail("lost", "%v isn't in the normal form of %s", lost, data)
	}
	c.convert(data, selected.side)
	again, err := message.Normalize(native, selected.side)
	if err != nil || !reflect.DeepEqual(decode(again.Native()), decode(native)) {
		c.fail("again", "the normal form changes if it is read again (%v): %s", err, native)
	}
	problems, err := message.Validate(data, selected.side)
	if isEmpty {
		problems = nil // A part without its content may well be a problem.
	}
	for _, problem := range problems {
		if problem.Rule != c.entry.refused {
			c.fail("validate", "%s in %s", problem, data)
		}
	}
	if err != nil {
		c.fail("validate", "%v", err)
	}
}

// convert builds the document in its own format, which must be what was read, and in others: the result has all content, or there is
// an error.
func (c *check) convert(data []byte, side document.Side) {
	if back, _, err := message.Build(c.document, c.document.Format, false); err != nil || !bytes.Equal(back, data) {
		c.fail("back", "%v: %s, want %s", err, back, data)
	}
	var content []string
	for _, m := range c.document.Messages {
		for _, b := range m.Content {
			content = append(content, markers(block{Block: b}.field("output"))...)
			content = append(content, markers(decode(b.Args))...)
		}
	}
	for _, format := range []document.Format{document.FormatChatCompletions, document.FormatMessages, document.FormatResponses} {
		built, _, err := message.Build(c.document, format, false)
		if err != nil {
			continue
		}
		again, err := message.Normalize(built, side)
		if err != nil {
			c.fail("convert", "%v: %s", err, built)
			continue
		}
		if lost := missing(string(again.Native()), content); lost != nil || again.Format == document.FormatUnrecognized {
			c.fail("convert", "%v isn't in %s, read as %s: %s", lost, format, again.Format, built)
		}
	}
}

// structure are the kinds of events that bring no content.
var structure = []string{"start", "end", "usage", "error"}

// reduce puts the sample into a stream.
func (c *check) reduce(selected *template, clauses []clause) {
	var chunks []json.RawMessage
	text := []byte(selected.with(c.member, c.sample, clauses))
	if err := json.Unmarshal(text, &chunks); err != nil {
		c.fail("json", "%v: %s", err, text)
		return
	}
	format := message.StreamFormat(chunks)
	if format == document.FormatUnrecognized || selected.format != "*" && string(format) != selected.format {
		c.fail("format", "a stream of %s, want %s: %s", format, selected.format, text)
		return
	}
	answer, err := message.Reduce(format, chunks)
	if err != nil {
		c.fail("reduce", "%v", err)
		return
	}
	if strings.Contains(string(answer), "unreduced_chunks") {
		c.fail("reduce", "not understood: %s", answer)
	}
	if c.document, err = message.Normalize(answer, document.Outputs); err != nil {
		c.fail("json", "%v: %s", err, answer)
		return
	}
	for _, clause := range clauses {
		for _, f := range clause.fields {
			if lost := missing(string(answer), markers(at(c.sample, f.pointer))); lost != nil {
				c.fail("lost", "%v of %s isn't in %s", lost, f.pointer, answer)
			}
		}
		if !slices.Contains(structure, clause.kind) && (len(clause.fields) == 0 || clause.brings(c.sample)) {
			c.block(clause)
		}
	}
}

// clauses returns the expectations that concern the sample: those of which it has content, or else the first.
func (c *check) clauses() []clause {
	var out []clause
	for _, clause := range c.entry.clauses {
		if clause.has(c.sample) {
			out = append(out, clause.of(c.sample))
		}
	}
	if out == nil && len(c.entry.clauses) > 0 {
		out = append(out, c.entry.clauses[0].of(c.sample))
	}
	return out
}

// replaced looks for an optional member that is alone, with a value that has structure, in a part that lacks its usual content: it may be
// there in its place, and the mapping has to name it.
func (c *check) replaced(clauses []clause) {
	name, isAlone := strings.CutPrefix(c.name, "only ")
	value, _ := c.sample.(map[string]any)
	_, isObject := value[name].(map[string]any)
	_, isList := value[name].([]any)
	hasContent := slices.ContainsFunc(clauses, func(clause clause) bool { return clause.fields == nil || clause.has(c.sample) })
	if c.entry.aside == "" && isAlone && (isObject || isList) && !hasContent && !aboutContent.MatchString(name) {
		c.fail("replaced", "%s may be there in place of the content: map it", name)
	}
}

// aboutContent are the names of members that say something about content.
var aboutContent = regexp.MustCompile(`(?i)metadata|meta$|options|config|cache|caller|origin|citations|annotations|sources|usage|extras|kwargs|logprobs|provider|ratings|artifact|changes|error`)

// isEmpty reports whether a sample has no content, although its member can have it: only fields that are required.
func (c *check) isEmpty(clauses []clause) bool {
	return len(clauses) == 1 && clauses[0].isContent() && len(clauses[0].fields) > 0 && !clauses[0].has(c.sample)
}

// block looks for what a clause demands.
func (c *check) block(want clause) {
	found := c.find(want)
	if len(found) == 0 {
		c.fail("kind", "no %s among %s", want.kind, c.kinds())
		return
	}
	for _, f := range want.fields {
		values := at(c.sample, f.pointer)
		if len(values) == 0 {
			continue
		}
		var got strings.Builder
		for _, b := range found {
			got.WriteString(b.field(f.name) + "\n")
		}
		if f.name == "id" || f.name == "name" {
			if id, _ := values[0].(string); !slices.ContainsFunc(found, func(b block) bool { return b.field(f.name) == id }) {
				c.fail(f.name, "%s has %q, want %q", want.kind, strings.TrimSpace(got.String()), id)
			}
			continue
		}
		if lost := missing(got.String(), markers(values)); lost != nil {
			c.fail(cmp.Or(f.name, "content"), "%v of %s isn't in the %s: %q", lost, f.pointer, want.kind, strings.TrimSpace(got.String()))
		}
	}
}

// block is a block with the message in which it is.
type block struct {
	document.Block
	message document.Message
	result  bool
}

// field returns where the content of a part is expected: "" is that of text and media.
func (b block) field(name string) string {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	switch name {
	case "id":
		if b.result {
			return text(b.message.ToolCallID)
		}
		return cmp.Or(text(b.ToolCallID), text(b.ID))
	case "name":
		return text(b.Name)
	case "args":
		return string(b.Args)
	case "output":
		return strings.Join([]string{string(b.Output), text(b.Text), text(b.URL), text(b.Base64), text(b.ID)}, "\n")
	default:
		return strings.Join([]string{text(b.Text), text(b.URL), text(b.Base64), text(b.ID)}, "\n")
	}
}

// find returns the blocks of a kind; for a tool's result, those of the messages with the role tool.
func (c *check) find(want clause) []block {
	var found []block
	for _, m := range c.document.Messages {
		isResult := want.kind == "tool_result" && m.Role == document.RoleTool
		if isResult && len(m.Content) == 0 {
			found = append(found, block{message: m, result: true})
		}
		for _, b := range m.Content {
			if isResult || slices.Contains(want.types(c.sample), b.Type) {
				found = append(found, block{b, m, isResult})
			}
		}
	}
	return found
}

// kinds describes the blocks of the document.
func (c *check) kinds() string {
	var out []string
	for _, m := range c.document.Messages {
		var types []string
		for _, b := range m.Content {
			types = append(types, b.Type)
		}
		out = append(out, fmt.Sprintf("%s%q", m.Role, types))
	}
	return strings.Join(out, " ")
}

// markerPattern finds the unique values of a sample: see contract/samples.mjs.
var markerPattern = regexp.MustCompile(
	`https://example\.com/[A-Za-z]+-\d+|[A-Za-z]+-\d+|bWFya2VyL[A-Za-z0-9+/=]+|^1[0-9]{3}$`,
)

// markers returns the markers of all strings and numbers in a value.
func markers(value any) []string {
	switch value := value.(type) {
	case string:
		if strings.HasPrefix(value, "2026-") {
			return []string{value} // A time.
		}
		return markerPattern.FindAllString(value, -1)
	case json.Number:
		return markerPattern.FindAllString(value.String(), -1)
	case []any:
		var out []string
		for _, v := range value {
			out = append(out, markers(v)...)
		}
		return out
	case map[string]any:
		return markers(slices.Collect(values(value)))
	default:
		return nil
	}
}

func values(object map[string]any) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if !yield(object[key]) {
				return
			}
		}
	}
}

// missing returns the markers that a text doesn't have. text-1 isn't in text-12.
func missing(text string, markers []string) []string {
	var lost []string
	for _, marker := range markers {
		if !regexp.MustCompile(`(^|[^0-9])` + regexp.QuoteMeta(marker) + `($|[^0-9])`).MatchString(text) {
			lost = append(lost, marker)
		}
	}
	return lost
}

func TestContractPointers(t *testing.T) {
	t.Parallel()
	sample := decode([]byte(`{"a":"text-1","b":[{"c":"text-2"},{"c":"text-12"}],"d":["x"],"n":1003}`))
	for pointer, want := range map[string]string{
		"/a": "[text-1]", "/a$": "[text-1]", "/b$": "[]", "/b/*/c": "[text-2 text-12]", "/b/1/c": "[text-12]", "/x|/a": "[text-1]",
		"/a|/b/0/c": "[text-1]", "/x": "[]", "/b": "[text-2 text-12]", "/n": "[1003]", "/d": "[]",
	} {
		if got := fmt.Sprint(markers(at(sample, pointer))); got != want {
			t.Errorf("%s: %s, want %s", pointer, got, want)
		}
	}
	if lost := missing(`{"x":"text-12"}`, []string{"text-1", "text-12"}); fmt.Sprint(lost) != "[text-1]" {
		t.Errorf("missing: %v, want text-1", lost)
	}
}

func decode(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}
