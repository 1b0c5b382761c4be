package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// agent is a trace of an agent, which calls a model, which sees everything so far, and a tool in turn. All runs are directly below the root.
type agent struct {
	path string // Of the trace's page.
	// root, calls and tools are the IDs of the runs, of all turns.
	root         string
	calls, tools []string
}

// failedSteps are those whose tools fail, with a text that an earlier step has found.
var failedSteps = map[int]bool{20: true, 35: true}

// logAgent logs an agent with a number of turns, which are two steps each.
func logAgent(p *plane, steps int) agent {
	p.T.Helper()
	setPrice(p)
	begin := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	at := func(step int, after time.Duration) string {
		return begin.Add(time.Duration(step)*10*time.Second + after).Format(time.RFC3339Nano)
	}
	root := devservertest.RootRun(object{
		"name": "agent", "start_time": at(0, 0), "end_time": at(steps+1, 0), "inputs": object{"task": "Write the report."}, "outputs": object{"report": "Done."},
	})
	a := agent{path: "/ui/traces/" + root["id"].(string), root: root["id"].(string)}
	all := []any{root}
	messages := []any{object{"role": "system", "content": "You write reports."}, object{"role": "user", "content": "Write the report."}}
	for step := 1; step <= steps; step++ {
		answer := object{"role": "assistant", "content": fmt.Sprintf("Thought of step %d.", step), "tool_calls": []any{object{
			"id": fmt.Sprint("call-", step), "type": "function",
			"function": object{"name": "look_up", "arguments": fmt.Sprintf(`{"page":%d,"note":"first\nsecond"}`, step)},
		}}}
		call := child(root, begin.Add(time.Duration(step)*10*time.Second), object{
			"name": fmt.Sprint("plan ", step), "run_type": "llm", "start_time": at(step, 0), "end_time": at(step, 4*time.Second),
			"inputs":  object{"messages": append([]any{}, messages...)},
			"outputs": object{"choices": []any{object{"message": answer}}, "usage": object{"prompt_tokens": 100 * step, "completion_tokens": 10, "total_tokens": 100*step + 10}},
			"extra": object{
				"metadata":          object{"ls_model_name": "example-large", "ls_provider": "openai"},
				"invocation_params": object{"tools": []any{object{"type": "function", "function": object{"name": "look_up", "description": "Reads a page of the handbook.", "parameters": object{"type": "object"}}}}},
			},
		})
		found := fmt.Sprintf(`{"page":%d,"text":"Line one of page %d.\nLine two."}`, step, step)
		tool := child(root, begin.Add(time.Duration(step)*10*time.Second+4*time.Second), object{
			"name": fmt.Sprint("look up ", step), "run_type": "tool", "start_time": at(step, 4*time.Second), "end_time": at(step, 9*time.Second),
			"inputs": object{"page": step}, "outputs": object{"output": found},
		})
		if failedSteps[step] {
			tool["inputs"] = object{"page": step, "after": "Line one of page 12."}
			tool["error"] = fmt.Sprintf("page %d is missing\n%s", step, strings.Repeat("  at a line of the traceback\n", 60))
		}
		messages = append(messages, answer, object{"role": "tool", "tool_call_id": fmt.Sprint("call-", step), "content": found})
		all = append(all, call, tool)
		a.calls, a.tools = append(a.calls, call["id"].(string)), append(a.tools, tool["id"].(string))
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	return a
}

// run returns the path of the trace's page with a run selected.
func (a agent) run(id string) string { return a.path + "?run=" + id }

// child is a run below another run, whose place in the trace follows its start.
func child(parent object, start time.Time, changes object) object {
	run := devservertest.ChildRun(parent, changes)
	run["dotted_order"] = fmt.Sprintf("%s.%s%s", parent["dotted_order"], start.Format("20060102T150405000000Z"), run["id"])
	return run
}

// setPrice sets the price of the model that agents and conversations call, unless it is set.
func setPrice(p *plane) {
	p.T.Helper()
	if answer := p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry()); answer.Status != http.StatusConflict {
		answer.Want(http.StatusOK)
	}
}
