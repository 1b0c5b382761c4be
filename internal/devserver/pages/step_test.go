package pages_test

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestReadStep_unraced asks what the model saw and answered at step 40 of an agent, on a screen, and on a phone without scripts.
func TestReadStep_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "reading a step of an agent in Chromium", 30*time.Second)
	p := devservertest.New(t, devserver.Config{}).As()
	a := logAgent(p, 60)
	onScreens(t, func(b *tab) {
		// One click on the step, and the page shows what is new. On a phone, a second one goes to the answer.
		b.open(p.Web.URL + a.path).click(row(a.calls[39])).until(`document.querySelector("#chosen h2").textContent.includes("plan 40")`)
		b.sees("78 earlier messages")
		if !b.scripts {
			b.click(`#chosen a[href="#inputs"]`)
		}
		b.sees("Thought of step 39.").sees("Line one of page 39.")
		b.click(`#chosen a[href="#outputs"]`).sees("Thought of step 40.")
		// JSON in texts is decoded once, and line breaks are lines.
		b.until(`document.querySelector("#chosen").innerText.includes("Line one of page 39.\n")`)
		// Tools that the model could have called.
		b.click(`#chosen a[href="#tools"]`).sees("look_up").sees("Reads a page of the handbook.")
		// A message that is folded can be read.
		b.click(`#chosen .earlier > details > summary`)
		b.click(`#chosen .earlier ol li:last-child summary`)
		if !b.scripts {
			b.click(`#chosen .earlier ol li:last-child a`).sees("Message 78 of 80 of the inputs")
		}
		b.sees("Line one of page 38.")
	})
}

// continued is what the page of a run says about the messages that it continues.
type continued struct {
	Previous *struct{ Name string }
	Tools    []tool
}

type tool struct{ Name, Description string }

// TestPreviousCall checks which messages of a call are new: compared with the call before it that it continues, of the same agent if
// several work side by side, or of the conversation's previous trace.
func TestPreviousCall(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	say := func(texts ...string) object {
		all := []any{}
		for i, text := range texts {
			all = append(all, object{"role": []string{"user", "assistant"}[i%2], "content": text})
		}
		return object{"messages": all}
	}
	turn := func(minute int) object {
		return devservertest.RootRun(object{"start_time": fmt.Sprintf("2026-05-02T10:%02d:00Z", minute), "extra": object{"metadata": object{"thread_id": "a talk"}}})
	}
	first, second, third := turn(1), turn(2), turn(3)
	call := func(parent object, second int, name string, inputs object) object {
		start, err := time.Parse(time.RFC3339, parent["start_time"].(string))
		devservertest.Must(t, err)
		start = start.Add(time.Duration(second) * time.Second)
		return child(parent, start, object{"name": name, "start_time": start.Format(time.RFC3339), "inputs": inputs})
	}
	marked := say("a1", "a2", "a3")
	marked["messages"].([]any)[0].(object)["cache_control"] = object{"type": "ephemeral"}
	file := func(id string, texts ...string) object {
		said := say(append([]string{""}, texts...)...)
		said["messages"].([]any)[0].(object)["content"] = []any{object{"type": "file", "file": object{"file_id": id}}}
		return said
	}
	all := []any{first, second, third, call(first, 1, "first turn", say("b1"))}
	cases := []struct {
		parent object
		name   string
		said   object
		from   string
		shown  string // The numbers of the messages that are shown, and how many are folded between them.
	}{
		{second, "alone", say("x1"), "", "1"},
		{second, "one", say("a1", "a2"), "", "1 2"},
		{second, "other", say("b1", "b2", "b3"), "", "1 2 3"},
		{second, "one again", marked, "one", "+2 3"},
		{second, "other again", say("b1", "b2", "b3", "b4"), "other", "+3 4"},
		{second, "repeated", say("b1", "b2", "b3", "b4"), "other again", "+3 4"},
		// The oldest messages but the first are dropped.
		{second, "history", say("c1", "c2", "c3", "c4", "c5"), "", "1 2 3 4 5"},
		{second, "window", say("c1", "c4", "c5", "c6"), "history", "+3 4"},
		// The first message is written anew, also when the oldest ones are dropped.
		{second, "rewritten", say("r1", "c4", "c5", "c6", "c7", "c8"), "window", "1 +3 5 6"},
		{second, "rewritten window", say("s1", "c6", "c7", "c8", "c9"), "rewritten", "1 +3 5"},
		// The oldest messages are dropped, so that it begins with another one.
		{second, "headless", say("c7", "c8", "c9", "c10"), "rewritten window", "+3 4"},
		// Agents work side by side, on the same question.
		{second, "agent", say("g1", "q", "g3", "g4"), "", "1 2 3 4"},
		{second, "other agent", say("h1", "q"), "", "1 2"},
		{second, "agent again", say("g1", "q", "g3", "g4", "g5", "g6"), "agent", "+4 5 6"},
		// Files differ by their IDs alone.
		{second, "file", file("A", "f2", "f3"), "", "1 2 3"},
		{second, "other file", file("B", "f2", "f3", "f4"), "file", "1 +2 4"},
		// A summary takes the place of dropped messages.
		{second, "talk", say("d1", "d2", "d3", "d4", "d5"), "", "1 2 3 4 5"},
		{second, "summarized", say("d1", "a summary", "d5", "d6", "d7"), "talk", "+1 2 +1 4 5"},
		{second, "summarized again", say("d0", "another summary", "d5", "d6", "d7", "d8"), "summarized", "1 2 +3 6"},
		// Texts are repeated: what comes after the last message of the call before is new, also if an older one was the same.
		{second, "insists", say("e1", "go on", "e3", "go on", "e5"), "", "1 2 3 4 5"},
		{second, "insists again", say("e1", "go on", "e5", "go on", "e7", "go on"), "insists", "+3 4 5 6"},
		{second, "moved", say("e7", "go on", "e5", "e8"), "insists again", "+2 3 4"},
		{third, "next turn", say("d0", "another summary", "d5", "d6", "d7", "d8", "d9"), "summarized again", "+6 7"},
	}
	runs := make([]object, len(cases))
	for i, tc := range cases {
		runs[i] = call(tc.parent, i+1, tc.name, tc.said)
		all = append(all, runs[i])
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	for i, tc := range cases {
		id := runs[i]["id"].(string)
		for _, path := range []string{"/ui/runs/" + id, "/ui/traces/" + runs[i]["trace_id"].(string) + "?run=" + id} {
			view := asJSON[struct {
				continued
				Run struct{ continued }
			}](p, path)
			name := ""
			if previous := cmp.Or(view.Previous, view.Run.Previous); previous != nil {
				name = previous.Name
			}
			var shown []string
			for _, found := range regexp.MustCompile(`<summary>(\d+) earlier message|<li id="inputs-(\d+)"`).FindAllStringSubmatch(read(p, path), -1) {
				if found[1] != "" {
					found[2] = "+" + found[1]
				}
				shown = append(shown, found[2])
			}
			devservertest.Same(t, tc.name+" at "+path, []string{tc.from, tc.shown}, []string{name, strings.Join(shown, " ")})
		}
	}
}

// TestToolsOffered checks that the tools which a call offers are found in the forms of frameworks and providers.
func TestToolsOffered(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	schema := object{"type": "object"}
	talk := []any{object{"role": "user", "content": "Hi"}}
	for name, tc := range map[string]struct {
		inputs, params object
		want           []tool
	}{
		"parameters of the call": {object{"messages": talk}, object{"tools": []any{object{"type": "function", "function": object{"name": "add", "description": "Adds.", "parameters": schema}}}}, []tool{{"add", "Adds."}}},
		"Chat Completions":       {object{"messages": talk, "tools": []any{object{"type": "function", "function": object{"name": "add", "parameters": schema}}}}, nil, []tool{{"add", ""}}},
		"functions":              {object{"messages": talk, "functions": []any{object{"name": "add", "description": "Adds.", "parameters": schema}}}, nil, []tool{{"add", "Adds."}}},
		"Messages": {object{"model": "claude", "max_tokens": 9, "messages": talk, "tools": []any{object{"name": "add", "description": "Adds.", "input_schema": schema}, object{"type": "web_search_20250305", "name": "web_search"}}}, nil,
			[]tool{{"add", "Adds."}, {"web_search", ""}}},
		"Responses": {object{"model": "gpt", "input": "Hi", "tools": []any{object{"type": "function", "name": "add", "parameters": schema}, object{"type": "web_search"}}}, nil, []tool{{"add", ""}, {"web_search", ""}}},
		"Gemini": {object{"contents": []any{object{"role": "user", "parts": []any{object{"text": "Hi"}}}}, "tools": []any{object{"functionDeclarations": []any{object{"name": "add", "description": "Adds."}}}}}, nil,
			[]tool{{"add", "Adds."}}},
		"Converse": {object{"modelId": "m", "messages": []any{object{"role": "user", "content": []any{object{"text": "Hi"}}}}, "toolConfig": object{"tools": []any{object{"toolSpec": object{"name": "add", "description": "Adds.", "inputSchema": object{"json": schema}}}}}}, nil,
			[]tool{{"add", "Adds."}}},
		"JSON in a string": {object{"messages": talk}, object{"tools": `[{"name":"add"}]`}, []tool{{"add", ""}}},
		"none":             {object{"messages": talk}, object{"tools": nil}, []tool{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := devservertest.RootRun(object{"run_type": "llm", "inputs": tc.inputs, "extra": object{"invocation_params": tc.params}})
			p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
			view := asJSON[continued](p, "/ui/runs/"+run["id"].(string))
			devservertest.Same(t, "tools", tc.want, view.Tools)
		})
	}
}
