package pages_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// contentOfRun is the row of a run in the tree of its trace.
type contentOfRun struct {
	Name, Line string
	Found      bool
	Marks      []struct{ Label, Reason string }
	Children   []contentOfRun
}

// TestTraceContents checks what a row says of a run, what is marked, and what a search finds. Runs follow one another.
func TestTraceContents(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	start := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	root := devservertest.RootRun(object{"name": "agent", "inputs": object{"question": "What does order A cost?"}, "end_time": start.Add(time.Hour).Format(time.RFC3339)})
	asks := func(name, arguments string) object {
		return object{"choices": []any{object{"message": object{"role": "assistant", "content": nil, "tool_calls": []any{object{"id": "c", "type": "function", "function": object{"name": name, "arguments": arguments}}}}}}}
	}
	const number = "customer-4711-of-Vienna"
	repeated := []string{"repeated: call 1 of 2 of find with equal arguments", "repeated: call 2 of 2 of find with equal arguments"}
	random := make([]byte, 200<<10) // Too large to be read, also when it is packed.
	_, err := rand.NewChaCha8([32]byte{}).Read(random)
	devservertest.Must(t, err)
	all := []any{root}
	cases := []struct {
		name, kind    string
		inputs        any
		outputs       object
		failure, line string
		marks         []string
	}{
		{"plan", "llm", object{"messages": []any{object{"role": "user", "content": "What does order A cost?"}}}, asks("find", `{"order":"A"}`), "", `calls find {"order":"A"}`, nil},
		{"find", "tool", object{"order": "A", "limit": 1}, object{"output": `{"customer":"` + number + `"}`}, "", `{"limit":1,"order":"A"} → {"customer":"` + number + `"}`,
			[]string{repeated[0], `origin: the first output with "` + number + `", with which bill failed`}},
		{"plan", "llm", object{}, asks("bill", `{"customer":"`+number+`"}`), "", `calls bill {"customer":"` + number + `"}`, nil},
		{"bill", "tool", object{"customer": number, "year": "2026"}, nil, "no such customer", `{"customer":"` + number + `","year":"2026"}`, nil},
		{"find", "tool", json.RawMessage(`{"order": "A", "limit": 1}`), object{"output": "nothing"}, "", `{"order":"A","limit":1} → nothing`, repeated[1:]},
		{"find", "tool", object{"limit": 2, "order": "A"}, object{"output": object{"error": "busy"}}, "", `{"limit":2,"order":"A"} → {"error":"busy"}`,
			[]string{"reports an error: the output has error: busy, and the run succeeded"}},
		{"fetch", "tool", object{"url": "a"}, object{"output": `{"status": 404, "error": null}`}, "", `a → {"status": 404, "error": null}`,
			[]string{"reports an error: the output has status: 404, and the run succeeded"}},
		{"fetch", "tool", object{"url": "b"}, object{"content": []any{}, "is_error": true}, "", `b → {"content":[],"is_error":true}`,
			[]string{"reports an error: the output has is_error: true, and the run succeeded"}},
		{"waiting", "tool", object{"url": "still pending"}, object{"output": object{"error": "busy"}}, "", `still pending → {"error":"busy"}`, nil},
		{"fetch", "tool", object{"url": "c"}, object{"status": 200, "error": "", "errors": 2, "is_error": false}, "", `c → {"error":"","errors":2,"is_error":false,"status":200}`, nil},
		{"fetch", "tool", object{"question": "What does order A cost?"}, nil, "no such page", "What does order A cost?", nil}, // The user's own words.
		{"answer", "llm", object{}, object{"choices": []any{object{"message": object{"role": "assistant", "content": "It costs\n  nothing."}}}}, "", "It costs nothing.", nil},
		{"search", "tool", object{"name": "Miller"}, object{"output": `{"found": "M\u00fcller \"the elder\""}`}, "", `Miller → {"found": "M\u00fcller \"the elder\""}`,
			[]string{`origin: the first output with "Müller \"the elder\"", with which charge failed`}},
		{"charge", "tool", object{"customer": `Müller "the elder"`}, nil, "no such customer", `Müller "the elder"`, nil},
		{"load", "tool", object{"all": true}, object{"output": "account-of-Linz " + hex.EncodeToString(random)}, "", "…", nil},
		{"close", "tool", object{"account": "account-of-Linz", "year": 2026}, object{"output": "account-of-Linz is locked"}, "", `{"account":"account-of-Linz","year":2026} → account-of-Linz is locked`, nil},
		{"close", "tool", object{"account": "account-of-Linz"}, nil, "locked", "account-of-Linz", nil},
		{"answer", "llm", object{}, object{"error": object{"code": "quota"}}, "", `{"code":"quota"}`,
			[]string{`reports an error: the output has error: {"code":"quota"}, and the run succeeded`}},
		{"answer", "llm", object{}, object{"choices": []any{object{"message": object{"role": "assistant", "content": `{"error":"busy"}`}}}}, "", `{"error":"busy"}`, nil},
	}
	for i, tc := range cases {
		from := start.Add(time.Duration(2*i+1) * time.Second)
		run := child(root, from, object{
			"name": tc.name, "run_type": tc.kind, "inputs": tc.inputs, "outputs": tc.outputs,
			"start_time": from.Format(time.RFC3339), "end_time": from.Add(time.Second).Format(time.RFC3339),
		})
		if tc.failure != "" {
			run["error"] = tc.failure
		}
		if tc.name == "waiting" {
			delete(run, "end_time")
		}
		all = append(all, run)
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	path := "/ui/traces/" + root["id"].(string)
	tree := func(query string) contentOfRun { return asJSON[struct{ Roots []contentOfRun }](p, path+query).Roots[0] }
	top, searched := tree(""), tree("?find=VIENNA")
	devservertest.Same(t, "the row of the root", "What does order A cost?", top.Line)
	var found []int
	for i, run := range top.Children {
		var marks []string
		for _, m := range run.Marks {
			marks = append(marks, m.Label+": "+m.Reason)
		}
		devservertest.Same(t, "the row of run "+run.Name, []any{cases[i].name, cases[i].line}, []any{run.Name, run.Line})
		devservertest.Same(t, "marks of "+run.Line, cases[i].marks, marks)
		if searched.Children[i].Found {
			found = append(found, i)
		}
	}
	devservertest.Same(t, "runs with Vienna", []int{1, 2, 3}, found)
	var marked []string
	for _, n := range tree("?only=marked").Children {
		if n.Line != "" && len(n.Marks) > 0 {
			marked = append(marked, n.Line)
		}
	}
	devservertest.Same(t, "the last marked run", `{"code":"quota"}`, marked[len(marked)-1])
}

var longStart = time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)

// hourLong is the root of a trace that begins at longStart.
func hourLong() object {
	return devservertest.RootRun(object{"name": "agent", "end_time": longStart.Add(time.Hour).Format(time.RFC3339)})
}

// secondLong is a run below it that begins some seconds later.
func secondLong(root object, seconds int, changes object) object {
	from := longStart.Add(time.Duration(seconds) * time.Second)
	changes["start_time"], changes["end_time"] = from.Format(time.RFC3339), from.Add(time.Second).Format(time.RFC3339)
	return child(root, from, changes)
}

// TestManyOrigins checks that the origins of the arguments of a hundred failed calls are marked, once for equal calls, also those of a hundred calls
// with equal arguments, and that the page says for how many it isn't searched.
func TestManyOrigins(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	root := hourLong()
	all := []any{root}
	add := func(seconds int, changes object) { all = append(all, secondLong(root, seconds, changes)) }
	for i := range 102 {
		customer := fmt.Sprintf("customer-%04d", i)
		add(3*i, object{"name": "plan", "run_type": "llm", "outputs": object{"customer": customer}})
		add(3*i+1, object{"name": "bill", "run_type": "tool", "inputs": object{"customer": customer}, "error": "no such customer"})
		add(3*i+2, object{"name": "bill", "run_type": "tool", "inputs": object{"customer": customer, "again": true}, "error": "no such customer"})
	}
	for i := range 101 { // Beside the two above, of which one is marked.
		add(400+i, object{"name": fmt.Sprintf("bill %d", i), "run_type": "tool", "inputs": object{"customer": "customer-0000"}, "error": "no such customer"})
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	path := "/ui/traces/" + root["id"].(string)
	origins := 0
	for _, run := range asJSON[struct{ Roots []contentOfRun }](p, path).Roots[0].Children {
		origins += len(run.Marks)
	}
	devservertest.Same(t, "origins", 198, origins)
	contains(t, read(p, path), "Too many calls failed: the arguments of 7 of them were not searched for in earlier outputs.")
}

// TestMarksOfRows checks that calls of models without a row are counted where outputs that report errors are marked, because they aren't read.
func TestMarksOfRows(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	root := hourLong()
	all := []any{root}
	for i := range 400 {
		all = append(all, secondLong(root, i, object{"name": fmt.Sprintf("call %d", i), "run_type": "llm", "outputs": object{"error": "busy"}}))
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	path := "/ui/traces/" + root["id"].(string)
	note := "51 calls of models without a row were not examined for errors that outputs report."
	contains(t, read(p, path), note, "51 more runs of this trace are not shown.")
	contains(t, read(p, path+"?only=marked"), note, "349 of 401 runs match.")
}
