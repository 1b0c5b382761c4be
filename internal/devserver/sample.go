package devserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/controlplane"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// The projects of the sample.
const (
	sampleAgent  = "sample-support-agent"
	sampleChat   = "sample-docs-chat"
	sampleImages = "sample-image-captions"
)

// sampleTime is longer than it takes to log the sample.
const sampleTime = time.Minute

// Sample adds sample data to a workspace: a second listener, and runs in three projects: an agent with tools and errors, a chat that
// streams, and images. It logs nothing if the projects exist.
func (s *Server) Sample(ctx context.Context, workspaceID string) error {
	there := false
	err := s.rest.Do(ctx, workspaceID, func(c *rest.Call) error {
		if _, err := controlplane.EnsureListener(c, store.Listener{ComputeID: "edge-cluster", K8sNamespaces: []string{"agents-edge"}}); err != nil {
			return err
		}
		_, err := c.Tx.ProjectNamed(workspaceID, sampleAgent)
		if there = err == nil; there || !errors.Is(err, store.ErrNotFound) {
			return err
		}
		mine, err := c.Tx.Acquire("sample of "+workspaceID, sampleTime)
		if there = !mine; there || err != nil { // Another server logs it.
			return err
		}
		for _, price := range samplePrices {
			if err := s.tracing.Prices.Add(c.Tx, c.WorkspaceID, []byte(price), c.Now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || there {
		return err
	}
	b := sampleBuilder{feedback: map[string][]byte{}}
	now := s.rest.Now()
	for i := range 36 {
		b.agentTrace(now.Add(-time.Duration(i*37+3)*time.Minute), i)
	}
	for i := range 24 {
		b.chatTrace(now.Add(-time.Duration(i*53+8)*time.Minute), i)
	}
	for i := range 6 {
		b.imageTrace(now.Add(-time.Duration(i*190+20)*time.Minute), i)
	}
	batch, err := json.Marshal(map[string]any{"post": b.runs})
	if err != nil {
		return err
	}
	return s.tracing.Log(ctx, workspaceID, batch, b.feedback)
}

var samplePrices = []string{
	`{"name": "sample-large", "match_pattern": "^sample-large$", "prompt_cost": "0.0000025", "completion_cost": "0.00001", "prompt_cost_details": {"cache_read": "0.00000125"}}`,
	`{"name": "sample-small", "match_pattern": "^sample-small$", "prompt_cost": "0.00000015", "completion_cost": "0.0000006"}`,
}

type object = map[string]any

// sampleBuilder collects the sample data, which is determined by the number of the trace.
type sampleBuilder struct {
	runs     []object
	feedback map[string][]byte // JSON objects by ID.
}

// run adds a run below a parent; nil for a root.
func (b *sampleBuilder) run(parent object, kind, name, project string, start time.Time, took time.Duration, more object) object {
	id := uuid.NewString()
	segment := start.UTC().Format("20060102T150405.000000") + "Z" + id
	segment = segment[:15] + segment[16:]
	run := object{
		"id": id, "trace_id": id, "dotted_order": segment, "name": name, "run_type": kind, "session_name": project,
		"start_time": start.UTC().Format(time.RFC3339Nano), "end_time": start.Add(took).UTC().Format(time.RFC3339Nano),
	}
	if parent != nil {
		run["parent_run_id"], run["trace_id"] = parent["id"], parent["trace_id"]
		run["dotted_order"] = fmt.Sprint(parent["dotted_order"], ".", segment)
	}
	maps.Copy(run, more)
	b.runs = append(b.runs, run)
	return run
}

// call returns the contents of a model call, with a first token if it streams.
func call(model string, start time.Time, first time.Duration, messages []any, answer object, in, out int) object {
	answer["usage_metadata"] = object{
		"input_tokens": in, "output_tokens": out, "total_tokens": in + out, "input_token_details": object{"cache_read": in / 4},
	}
	said := object{
		"inputs": object{"messages": messages}, "outputs": object{"messages": []any{answer}},
		"extra": object{"metadata": object{"ls_provider": "example", "ls_model_name": model, "ls_temperature": 0.2}},
	}
	if first > 0 {
		said["events"] = []any{object{"name": "new_token", "time": start.Add(first).UTC().Format(time.RFC3339Nano)}}
	}
	return said
}

func (b *sampleBuilder) rate(run object, key string, score float64, comment string) {
	body, _ := json.Marshal(object{"run_id": run["id"], "key": key, "score": score, "comment": comment}) // Encoding it never fails.
	b.feedback[uuid.NewString()] = body
}

var sampleOrders = []string{"Where is my order 1042?", "I want a refund for order 1043.", "Can I change the address of order 1044?", "My parcel arrived broken."}

// agentTrace is an agent that plans, looks things up and answers. In every sixth trace, a tool fails.
func (b *sampleBuilder) agentTrace(start time.Time, i int) {
	question := sampleOrders[i%len(sampleOrders)]
	failed := i%6 == 2
	slow := time.Duration(1+i%5) * 350 * time.Millisecond
	root := b.run(nil, "chain", "support agent", sampleAgent, start, 5*slow, object{
		"inputs": object{"question": question}, "tags": []any{"sample", []string{"web", "mail"}[i%2]},
		"extra": object{"metadata": object{"thread_id": fmt.Sprintf("customer-%d", i/3), "customer_tier": []string{"free", "pro"}[i%2]}},
	})
	user := object{"role": "user", "content": question}
	system := object{"role": "system", "content": "You help customers of a shop. Use the tools."}
	toolCall := object{"id": "call-1", "type": "tool_call", "name": "lookup_order", "args": object{"order": 1042 + i%3}}
	b.run(root, "llm", "plan", sampleAgent, start.Add(20*time.Millisecond), slow, call("sample-large", start, 0,
		[]any{system, user}, object{"role": "assistant", "content": "", "tool_calls": []any{toolCall}}, 420+i*7, 38))
	at := start.Add(20*time.Millisecond + slow)
	found := object{"inputs": object{"order": 1042 + i%3}, "outputs": object{"status": "shipped", "carrier": "Example Parcel", "days": 2 + i%3}}
	if failed {
		found = object{"inputs": found["inputs"], "error": "Traceback (most recent call last):\n  File \"tools/orders.py\", line 41, in lookup_order\n" +
			"    raise TimeoutError(\"orders-db did not answer within 2 s\")\nTimeoutError: orders-db did not answer within 2 s"}
		root["error"] = "TimeoutError: orders-db did not answer within 2 s"
	}
	b.run(root, "tool", "lookup_order", sampleAgent, at, 2*slow, found)
	b.run(root, "retriever", "search policies", sampleAgent, at, slow/2, object{
		"inputs": object{"query": question}, "outputs": object{"documents": []any{object{"page_content": "Refunds take five days.", "metadata": object{"source": "policies.md"}}}},
	})
	if failed {
		b.rate(root, "solved", 0, "Nobody answered me.")
		return
	}
	answer := "Your order is **on its way**:\n\n- carrier: Example Parcel\n- expected in " + fmt.Sprint(2+i%3) + " days\n\nCan I do anything else for you?"
	root["outputs"] = object{"answer": answer}
	begun := at.Add(2*slow + 10*time.Millisecond)
	b.run(root, "llm", "answer", sampleAgent, begun, 2*slow-30*time.Millisecond, call([]string{"sample-large", "sample-small"}[i%2], begun, slow/3,
		[]any{system, user, object{"role": "assistant", "content": "", "tool_calls": []any{toolCall}}, object{"role": "tool", "tool_call_id": "call-1", "content": `{"status": "shipped"}`}},
		object{"role": "assistant", "content": answer}, 640+i*9, 70+i))
	if i%4 == 0 {
		b.rate(root, "solved", 1, "Quick and friendly.")
	}
}

var sampleQuestions = []string{"How do I deploy from a repository?", "What is a revision?", "How do I keep secrets out of the state?"}

// chatTrace is a chat that streams, in threads of four turns.
func (b *sampleBuilder) chatTrace(start time.Time, i int) {
	question := sampleQuestions[i%len(sampleQuestions)]
	took := time.Duration(900+i*130) * time.Millisecond
	said := call("sample-small", start, took/4, []any{object{"role": "user", "content": question}}, object{"role": "assistant", "content": "## In short\n\n" +
		"1. Write the configuration.\n2. Run `terraform apply`.\n\n```hcl\nresource \"agentplane_deployment\" \"chat\" {\n  name = \"chat\"\n}\n```\n\nThe apply waits until the revision is `DEPLOYED`."}, 180+i*11, 90+i*3)
	said["tags"] = []any{"sample"}
	if metadata, is := said["extra"].(object)["metadata"].(object); is {
		metadata["thread_id"] = fmt.Sprintf("visitor-%d", i/4)
	}
	if i%9 == 4 {
		delete(said, "outputs")
		said["error"] = "RateLimitError: 429 Too Many Requests"
	}
	b.run(nil, "llm", "docs chat", sampleChat, start, took, said)
}

// samplePicture is a PNG of one pixel.
const samplePicture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

func (b *sampleBuilder) imageTrace(start time.Time, i int) {
	took := time.Duration(1400+i*200) * time.Millisecond
	said := call("sample-large", start, 0, []any{object{"role": "user", "content": []any{
		object{"type": "text", "text": "What is on this picture?"}, object{"type": "image", "base64": samplePicture, "mime_type": "image/png"},
	}}}, object{"role": "assistant", "content": "A single pixel."}, 900, 12)
	b.run(nil, "llm", "caption", sampleImages, start, took, said)
}
