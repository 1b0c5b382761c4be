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
			if diff := cmp.Diff(tc.want, joined(newConversation("inputs", Document{Messages: tc.messages}, Paths{}, ""))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecognized(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]bool{"": false, "unrecognized": false, "native": true, "novel": true} {
		if got := newConversation("inputs", Document{Format: format}, Paths{}, "").Recognized(); got != want {
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

// TestLongConversation checks that a page shows the last messages of a document, lists those before them, and has no more of them than
// there is space.
func TestLongConversation(t *testing.T) {
	t.Parallel()
	calls := make([]Block, 125)
	for i := range calls {
		calls[i] = Block{Type: "tool_call", ID: fmt.Sprint("c", i), Name: "search"}
	}
	messages := []Message{{Role: "user", Content: []Block{{Type: "text", Text: "Find them."}}}, {Role: "assistant", Content: calls}}
	for i := range calls {
		messages = append(messages, Message{Role: "tool", ToolCallID: fmt.Sprint("c", i), Content: []Block{{Type: "text", Text: "done"}}})
	}
	c := newConversation("outputs", Document{Format: "chat", Messages: messages, Problems: make([]Problem, 70)}, Paths{}, "r1")
	want := []foldedMessage{{1, "user", "", "Find them.", "/runs/r1/message?n=1&side=outputs"}, {2, "assistant", "", "calls search", "/runs/r1/message?n=2&side=outputs"}}
	if diff := cmp.Diff(&fold{From: 1, Count: 2, Listed: want}, c.Messages[0].Fold); diff != "" {
		t.Errorf("folded messages (-want +got):\n%s", diff)
	}
	if shown := c.Messages[1:]; len(shown) != 125 || shown[124].Number != 127 || shown[0].CallNumber != 2 || c.BlocksOmitted != 0 {
		t.Errorf("%d messages are shown, %d blocks omitted; want the 125 results, which name the message with their calls", len(shown), c.BlocksOmitted)
	}
	if len(c.Problems) != maxProblems || c.ProblemsOmitted != 50 {
		t.Errorf("%d problems shown, %d omitted; want %d, 50 omitted", len(c.Problems), c.ProblemsOmitted, maxProblems)
	}
	var page strings.Builder
	if err := execute(&page, newPages(t).templates["run"], "document", c); err != nil {
		t.Fatal(err)
	}
	for _, note := range []string{"2 earlier messages", "50 more problems were found.", `data-load="/runs/r1/message?n=2&amp;side=outputs"`, "of message 2"} {
		if !strings.Contains(page.String(), note) {
			t.Errorf("the page doesn't contain %q", note)
		}
	}

	// The last messages take the space, and of a message that is too long, the end is shown as well.
	long := strings.Repeat("word ", 20_000) + "the end"
	texts := []Message{}
	for range 200 {
		texts = append(texts, Message{Role: "user", Content: []Block{{Type: "text", Text: long}}})
	}
	c = newConversation("inputs", Document{Format: "chat", Messages: texts}, Paths{}, "")
	first, shown := c.Messages[0].Fold, c.Messages[1:]
	if len(shown) != 3 || first.Unlisted() != 200-3-maxFolded || !strings.HasSuffix(shown[2].Blocks[0].Text.Tail, "the end") {
		t.Errorf("%d messages are shown and %d not listed, want 3 and %d; the end of the last is %.50q", len(shown), first.Unlisted(), 200-3-maxFolded, shown[2].Blocks[0].Text.Tail)
	}
	many := []Message{{Role: "user", Content: make([]Block, 400)}}
	if c = newConversation("inputs", Document{Messages: many}, Paths{}, ""); len(c.Messages[0].Blocks) != maxBlocks || c.BlocksOmitted != 400-maxBlocks {
		t.Errorf("%d blocks of a message are shown, %d omitted; want %d", len(c.Messages[0].Blocks), c.BlocksOmitted, maxBlocks)
	}
}

// TestEarlierMessages checks that messages which the previous call has seen are folded where they stand, and that the page lists the last of
// all folded ones.
func TestEarlierMessages(t *testing.T) {
	t.Parallel()
	view := runView()
	view.Inputs.Messages, view.Previous = nil, &PreviousCall{"r0", "t1", "first try"}
	add := func(n int, text string, seen bool) {
		for range n {
			view.Inputs.Messages = append(view.Inputs.Messages, Message{Role: "user", Seen: seen, Content: []Block{{Type: "text", Text: text}}})
		}
	}
	add(1, "rewritten", false)
	add(70, "old", true)
	add(1, "a summary", false)
	add(1, "last", true)
	add(1, "new", false)
	var got []string
	for _, m := range newRunPage(view).Sides[0].Messages {
		if m.Fold == nil {
			got = append(got, fmt.Sprint(m.Number, " ", m.Content[0].Text))
			continue
		}
		got = append(got, fmt.Sprintf("%d folded from %d, %d of them listed", m.Fold.Count, m.Fold.From, len(m.Fold.Listed)))
	}
	want := []string{"1 rewritten", "70 folded from 2, 59 of them listed", "72 a summary", "1 folded from 73, 1 of them listed", "74 new"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	html := render(t, newPages(t), view)
	for _, text := range []string{"70 earlier messages", "1 earlier message<", "first try", `href="/ui/runs/r1/message?n=2&amp;side=inputs">Read`, `href="/ui/runs/r1/message?n=73&amp;side=inputs"`} {
		if !strings.Contains(html, text) {
			t.Errorf("the page doesn't contain %q", text)
		}
	}
	// A new message without space is folded as well, and the page doesn't say that it was seen.
	add(200, strings.Repeat("word ", 20_000), false)
	if first := newRunPage(view).Sides[0].Messages[0].Fold; first == nil || first.Seen {
		t.Errorf("the first messages are %+v, want a fold of messages that weren't all seen", first)
	}
}
