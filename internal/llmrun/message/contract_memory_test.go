package message_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// The bytes that reading and validating a document allocate, per byte of the document, in all: most of them are garbage soon.
const (
	// maxAllocated is the bound for messages with texts of the length of paragraph.
	maxAllocated = 8
	// The bounds for messages as short as the samples of the contract. What the normal form needs doesn't depend on the length of
	// texts: a message takes 80 bytes, a block 160, and its extras at least 400, the size of Go's smallest map. The shortest parts
	// have less than 50 bytes, {"type":"container_upload","file_id":"fileid-1"}. Validate reads the messages of agents twice, because
	// one entry can be several messages.
	maxAllocatedShort, maxAllocatedShortValidate = 20, 32
)

// paragraph is a text of 1 KB, with what JSON escapes: the length of a typical message.
var paragraph = strings.Repeat("The quick brown fox says \"hello\" to the lazy dog, and waits for the answer of the dog.\n", 12)

// longData is the base64 data of an image of 1 KB.
var longData = strings.Repeat("bWFya2Vy", 128)

// TestContractMemory reads and validates a document of each member of the contract that is mapped, with many messages that contain
// its sample, once with texts of 1 KB and once as short as in the sample. The latter are so many that what grows faster than the document
// exceeds the bounds. It isn't parallel, because it counts the allocations of the whole process.
func TestContractMemory(t *testing.T) {
	for _, s := range repeatables(t) {
		size, maxRead, maxValidated := 16<<10, float64(maxAllocated), float64(maxAllocated)
		if s.short {
			size, maxRead, maxValidated = 600*len(s.list), maxAllocatedShort, maxAllocatedShortValidate
		}
		data := s.document(size)
		if got := s.read(t, data) / float64(len(data)); got > maxRead {
			t.Errorf("%s: reading allocates %.1f times the document, want at most %.0f: %.500s", s.name, got, maxRead, data)
		}
		if got := s.validate(t, data) / float64(len(data)); got > maxValidated {
			t.Errorf("%s: validating allocates %.1f times the document, want at most %.0f: %.500s", s.name, got, maxValidated, data)
		}
	}
}

// repeatable is a document whose list of messages can have any length.
type repeatable struct {
	name  string
	side  document.Side
	short bool
	// list are the elements to repeat. The IDs among them are different each time.
	head, list, tail string
	ids              []string
}

// repeatables returns two documents for each member of the contract that is a message or a part, with short and with long texts. There
// is no second one for a member without a text, and none for a document that is a single message.
func repeatables(t *testing.T) []repeatable {
	t.Helper()
	var all []repeatable
	contract := readMapping(t)
	for _, m := range contractMembers(t) {
		e := contract.entry(m)
		if m.Kind != "message" && m.Kind != "part" || e == nil || e.aside != "" {
			continue
		}
		name := slices.Sorted(maps.Keys(m.Samples))[0] // That with all members, if there are optional ones.
		c := check{member: m, name: name, entry: e, sample: decode(m.Samples[name])}
		clauses := c.clauses()
		selected := contract.template(m, clauses)
		head, list, tail, ok := selected.split()
		if !ok {
			continue
		}
		ids, texts := contentOf(c.sample, clauses)
		for _, short := range []bool{true, false} {
			sample := c.sample
			if !short {
				sample = lengthened(sample, texts)
			}
			fill := func(text string) string { return (&template{text: text}).with(m, sample, clauses) }
			s := repeatable{fmt.Sprintf("%s, %s", m, name), selected.side, short, fill(head), fill(list), fill(tail), ids}
			if short || len(s.list) > len(paragraph) {
				all = append(all, s)
			}
		}
	}
	return all
}

// contentOf returns the IDs of calls in a sample, and the markers of its texts and data.
func contentOf(sample any, clauses []clause) (ids, texts []string) {
	for _, clause := range clauses {
		for _, f := range clause.fields {
			found := markers(at(sample, f.pointer))
			switch f.name {
			case "id":
				ids = append(ids, found...)
			case "name":
			default:
				texts = append(texts, found...)
			}
		}
	}
	return ids, texts
}

// lengthened returns a sample with longer texts, in place of their markers, and longer arguments and data.
func lengthened(value any, texts []string) any {
	switch value := value.(type) {
	case string:
		for _, text := range texts {
			quoted, _ := json.Marshal(text + paragraph)
			switch {
			case value == text && strings.HasPrefix(text, "bWFya2Vy"):
				return longData
			case value == text:
				return text + paragraph
			case strings.HasPrefix(value, "{"):
				value = strings.ReplaceAll(value, `"`+text+`"`, string(quoted))
			}
		}
		return value
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = lengthened(value[i], texts)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(value))
		for key := range value {
			out[key] = lengthened(value[key], texts)
		}
		return out
	default:
		return value
	}
}

// split splits a template at the outermost list that contains the sample.
func (t *template) split() (head, list, tail string, ok bool) {
	sample := strings.Index(t.text, "PART")
	var open []int
	quoted, start, depth := false, -1, 0
	for i, c := range t.text {
		if i == sample && len(open) > 0 {
			start, depth = open[0], len(open)
		}
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' && start < 0:
			open = append(open, i+1)
		case c == ']' && start < 0:
			open = open[:len(open)-1]
		case c == '[':
			depth++
		case c == ']' && depth > 1:
			depth--
		case c == ']':
			return t.text[:start], t.text[start:i], t.text[i:], true
		}
	}
	return "", "", "", false
}

// document repeats the list until the document has a size.
func (s *repeatable) document(size int) []byte {
	var b strings.Builder
	b.Grow(size + len(s.list) + len(s.tail))
	b.WriteString(s.head)
	for i := 0; i == 0 || b.Len() < size; i++ {
		pairs := make([]string, 0, 2*len(s.ids))
		for _, id := range s.ids {
			pairs = append(pairs, `"`+id+`"`, fmt.Sprintf(`"%s.%d"`, id, i))
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.NewReplacer(pairs...).Replace(s.list))
	}
	b.WriteString(s.tail)
	return []byte(b.String())
}

func (s *repeatable) read(t *testing.T, data []byte) float64 {
	t.Helper()
	return s.measure(t, func() error {
		_, err := message.Normalize(data, s.side)
		return err
	})
}

// validate reads the document, too.
func (s *repeatable) validate(t *testing.T, data []byte) float64 {
	t.Helper()
	return s.measure(t, func() error {
		_, err := message.Validate(data, s.side)
		return err
	})
}

// measure returns the bytes that some work allocates in all.
func (s *repeatable) measure(t *testing.T, work func() error) float64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := work(); err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}
