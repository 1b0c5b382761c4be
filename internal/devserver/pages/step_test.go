package pages_test

import (
	"fmt"
	"net/http"
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
	Inputs   struct{ Earlier int }
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
	first, second := turn(1), turn(2)
	call := func(parent object, second int, name string, inputs object) object {
		start, err := time.Parse(time.RFC3339, parent["start_time"].(string))
		devservertest.Must(t, err)
		start = start.Add(time.Duration(second) * time.Second)
		return child(parent, start, object{"name": name, "start_time": start.Format(time.RFC3339), "inputs": inputs})
	}
	marked := say("a1", "a2", "a3")
	marked["messages"].([]any)[0].(object)["cache_control"] = object{"type": "ephemeral"}
	calls := []object{
		call(second, 1, "alone", say("x1")),
		call(second, 2, "one", say("a1", "a2")), call(second, 3, "other", say("b1", "b2", "b3")), call(second, 4, "one again", marked),
		call(second, 5, "other again", say("b1", "b2", "b3", "b4")), call(second, 6, "repeated", say("b1", "b2", "b3", "b4")),
	}
	// A window of history: the oldest messages are dropped, except for the first.
	long := call(second, 7, "long history", say("c1", "c2", "c3", "c4", "c5"))
	window := call(second, 8, "window of it", say("c1", "c4", "c5", "c6"))
	third := turn(3)
	next := call(third, 1, "next turn", say("b1", "b2", "b3", "b4", "b5"))
	all := []any{first, second, third, next, long, window, call(first, 1, "first turn", say("b1"))}
	for _, c := range calls {
		all = append(all, c)
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	for _, tc := range []struct {
		run     object
		from    string
		earlier int
	}{
		{calls[0], "", 0}, {calls[1], "", 0}, {calls[3], "one", 2}, {calls[4], "other", 3}, {calls[5], "other again", 3}, {next, "repeated", 4},
		{window, "long history", 3},
	} {
		for _, path := range []string{"/ui/runs/" + tc.run["id"].(string), "/ui/traces/" + tc.run["trace_id"].(string) + "?run=" + tc.run["id"].(string)} {
			view := asJSON[struct {
				continued
				Run struct{ continued }
			}](p, path)
			got := view.continued
			if view.Run.Inputs.Earlier > 0 || view.Run.Previous != nil {
				got = view.Run.continued
			}
			name := ""
			if got.Previous != nil {
				name = got.Previous.Name
			}
			if name != tc.from || got.Inputs.Earlier != tc.earlier {
				t.Errorf("%s at %s continues %q with %d messages, want %q with %d", tc.run["name"], path, name, got.Inputs.Earlier, tc.from, tc.earlier)
			}
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
