package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func call(id string) Block { return Block{Type: "tool_call", ID: id, Name: "f"} }

func result(id, text string) Message {
	return Message{Role: "tool", ToolCallID: id, Content: []Block{{Type: "text", Text: text}}}
}

func assistant(blocks ...Block) Message { return Message{Role: "assistant", Content: blocks} }

// joined describes the shown content of each message: the types of its blocks and the numbers of results in them.
func joined(c conversation) []string {
	var all []string
	for _, m := range c.Messages {
		words := []string{fmt.Sprintf("%d %s:", m.Number, m.Role)}
		for _, b := range m.Blocks {
			words = append(words, b.Type)
			for _, r := range b.Results {
				words = append(words, fmt.Sprintf("<%d %s>", r.Number, r.Status))
			}
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

func TestJoin(t *testing.T) {
	t.Parallel()
	server := Block{Type: "server_tool_call", ID: "s"}
	found := Block{Type: "server_tool_result", ToolCallID: "s", Status: "success"}
	for name, tc := range map[string]struct {
		messages []Message
		want     []string
	}{
		"results of two calls, in another order": {
			[]Message{assistant(call("a"), call("b")), result("b", "2"), result("a", "1"), assistant(Block{Type: "text"})},
			[]string{"1 assistant: tool_call <3 > tool_call <2 >", "4 assistant: text"},
		},
		"two results of one call": {
			[]Message{assistant(call("a")), result("a", "1"), result("a", "2")}, []string{"1 assistant: tool_call <2 > <3 >"},
		},
		"an id that is used again": {
			[]Message{assistant(call("a")), result("a", "1"), assistant(call("a")), result("a", "2")},
			[]string{"1 assistant: tool_call <2 >", "3 assistant: tool_call <4 >"},
		},
		"a result without a call, and before it": {
			[]Message{result("a", "1"), assistant(call("a")), result("b", "2")},
			[]string{"1 tool: text", "2 assistant: tool_call", "3 tool: text"},
		},
		"without ids": {
			[]Message{assistant(call("")), {Role: "tool"}}, []string{"1 assistant: tool_call", "2 tool:"},
		},
		"a call's id on a message of another role": {
			[]Message{assistant(call("a")), {Role: "user", ToolCallID: "a"}}, []string{"1 assistant: tool_call", "2 user:"},
		},
		"a server tool, in one message and over two": {
			[]Message{assistant(server, found, Block{Type: "text"}), assistant(found)},
			[]string{"1 assistant: server_tool_call <1 success> <2 success> text", "2 assistant:"},
		},
		"a server tool without a call": {[]Message{assistant(found)}, []string{"1 assistant: server_tool_result"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, joined(newConversation("inputs", Document{Messages: tc.messages}))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecognized(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]bool{"": false, "unrecognized": false, "native": true, "novel": true} {
		if got := newConversation("inputs", Document{Format: format}).Recognized(); got != want {
			t.Errorf("format %q: Recognized = %v, want %v", format, got, want)
		}
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][]annotation{
		``:                         nil,
		`[]`:                       {},
		`{"type":"x"}`:             {{}},
		`[1]`:                      {{}},
		`[{"a":1}]`:                {{}},
		`[{"type":3,"title":"t"}]`: {{Title: "t"}},
		`[{"type":"file_citation","file_id":"f1","filename":"a.txt"}]`:                                {{Type: "file_citation", Title: "a.txt"}},
		`[{"type":"char_location","cited_text":"Green.","document_title":"Facts"}]`:                   {{Type: "char_location", Title: "Facts", Quote: "Green."}},
		`[{"type":"url_citation","url":"https://a.example","title":"A"}]`:                             {{Type: "url_citation", Title: "A", Address: "https://a.example"}},
		`[{"type":"url_citation","url_citation":{"url":"https://a.example","title":"A"}},{"b":null}]`: {{Type: "url_citation", Title: "A", Address: "https://a.example"}, {}},
	} {
		got := newAnnotations(json.RawMessage(raw))
		for i := range got {
			if len(got[i].Raw) == 0 {
				t.Errorf("%s: the annotation has no raw data", raw)
			}
			got[i].Raw = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}

// TestLongConversation checks that a page shows the first blocks of a document, and the number of omitted ones.
func TestLongConversation(t *testing.T) {
	t.Parallel()
	calls := make([]Block, 125)
	for i := range calls {
		calls[i] = Block{Type: "tool_call", ID: fmt.Sprint("c", i)}
	}
	messages := []Message{{Role: "assistant", Content: calls}}
	for i := range calls {
		messages = append(messages, Message{Role: "tool", ToolCallID: fmt.Sprint("c", i), Content: []Block{{Type: "text", Text: "done"}}})
	}
	c := newConversation("outputs", Document{Format: "chat", Messages: messages, Problems: make([]Problem, 70)})
	shown := 0
	for _, call := range c.Messages[0].Blocks {
		shown += 1 + len(call.Results)
	}
	if len(c.Messages) != 1 || shown != maxBlocks || c.BlocksOmitted != 100 {
		t.Errorf("%d blocks in %d messages shown, %d omitted; want %d in 1, 100 omitted", shown, len(c.Messages), c.BlocksOmitted, maxBlocks)
	}
	if len(c.Problems) != maxProblems || c.ProblemsOmitted != 50 {
		t.Errorf("%d problems shown, %d omitted; want %d, 50 omitted", len(c.Problems), c.ProblemsOmitted, maxProblems)
	}
	var page strings.Builder
	if err := execute(&page, newPages(t).parts, "document", c); err != nil {
		t.Fatal(err)
	}
	for _, note := range []string{"100 more blocks are in the raw JSON.", "50 more problems were found."} {
		if !strings.Contains(page.String(), note) {
			t.Errorf("the page doesn't contain %q", note)
		}
	}
}
