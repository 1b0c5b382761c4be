package llmrun

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// nestings are shapes that can hold themselves, and what closes them.
var nestings = map[string][2]string{
	"lists":                    {"[", "]"},
	"objects":                  {`{"a":`, "}"},
	"wrappers":                 {`{"output":`, "}"},
	"inputs":                   {`{"input":[`, "]}"},
	"messages":                 {`{"messages":[`, "]}"},
	"content":                  {`{"role":"user","content":[`, "]}"},
	"texts":                    {`{"role":"user","content":[{"type":"text","text":`, "}]}"},
	"results":                  {`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[`, "]}]}"},
	"choices":                  {`{"choices":[{"message":`, "}]}"},
	"objects of the framework": {`{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":`, "}"},
	"generations":              {`{"generations":[[{"message":`, "}]]}"},
	"details":                  {`{"usage_metadata":{"input_token_details":`, "}}"},
	"runs":                     {`{"inputs":{"a":`, `},"extra":{"metadata":{"a":1}}}`},
	"events":                   {`{"events":[{"name":"new_token","time":`, "}]}"},
	"arguments":                {`{"role":"assistant","tool_calls":[{"function":{"name":"a","arguments":`, "}}]}"},
}

// TestNesting gives everything that reads foreign JSON documents that are nested deeper than anybody means: nothing runs out
// of stack or time. encoding/json, which looks through every text first, refuses more than ten thousand levels; what is less
// deep has a long text in its middle, which must not be read once for each level.
func TestNesting(t *testing.T) {
	t.Parallel()
	text := `"` + strings.Repeat("x", 100_000) + `"`
	for name, nesting := range nestings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each := strings.Count(nesting[0], "{") + strings.Count(nesting[0], "[")
			for depth, accepted := range map[int]bool{900: true, 9000: true, 20_000: false} {
				opened := strings.Repeat(nesting[0], depth/each)
				began := time.Now()
				readEverything(t, []byte(opened+text+strings.Repeat(nesting[1], depth/each)), accepted)
				readEverything(t, []byte(opened), false)
				if took := time.Since(began); took > time.Minute {
					t.Errorf("%d levels took %s", depth, took)
				}
			}
		})
	}
}

// TestNesting_millions: ten million brackets fit into the payload of a run.
func TestNesting_millions(t *testing.T) {
	t.Parallel()
	readEverything(t, []byte(strings.Repeat("[", 10_000_000)), false)
}

// readEverything calls what takes a document as it comes.
func readEverything(t *testing.T, data []byte, accepted bool) {
	t.Helper()
	for _, side := range []message.Side{message.Inputs, message.Outputs} {
		d, err := message.Normalize(data, side)
		if (err == nil) != accepted {
			t.Fatalf("accepted %t, error %v", accepted, err)
		}
		if _, err := message.Validate(data, side); (err == nil) != accepted {
			t.Fatalf("valid %t, error %v", accepted, err)
		}
		if err != nil {
			continue
		}
		for _, to := range []message.Format{message.FormatNative, message.FormatChatCompletions, message.FormatMessages, message.FormatResponses, message.FormatFramework} {
			if built, _, err := d.Build(to); err == nil && !json.Valid(built) {
				t.Errorf("%s is no JSON", to)
			}
		}
	}
	for _, format := range []message.Format{message.FormatChatCompletions, message.FormatMessages, message.FormatResponses} {
		// What isn't understood is kept, in a list of an object, which is no longer JSON at the maximum depth.
		if reduced, err := message.Reduce(format, []json.RawMessage{data, data}); err == nil && !json.Valid(reduced) {
			t.Error("a stream was reduced to no JSON")
		}
	}
	run, _, err := DecodeRun(data)
	if err == nil {
		run.Complete(run.ID, time.Now())
		run.CheckEvents()
		run.CheckTrace()
		run.ThreadID()
	}
	var used usage.Usage
	var price usage.Price
	if !accepted && (json.Unmarshal(data, &used) == nil || json.Unmarshal(data, &price) == nil || err == nil) {
		t.Error("a run, usage or price was read from no JSON")
	}
	if accepted {
		usage.Read(data)
		_ = json.Unmarshal(data, &used) // Whether it is one doesn't matter here.
		_ = json.Unmarshal(data, &price)
	}
}
