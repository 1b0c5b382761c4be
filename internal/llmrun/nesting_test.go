package llmrun

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// nestings are recursive shapes: what opens and what closes a level.
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

// TestNesting passes absurdly nested documents to everything that reads foreign JSON: nothing may run out
// of stack or time. encoding/json, which scans every text first, refuses more than ten thousand levels; less deep documents
// have a long text at the innermost level, which must not be read once for each level.
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
					t.Errorf("%d levels took %s, want at most a minute", depth, took)
				}
			}
		})
	}
}

// TestNesting_millions tests ten million brackets, which fit into the payload of a run.
func TestNesting_millions(t *testing.T) {
	t.Parallel()
	readEverything(t, []byte(strings.Repeat("[", 10_000_000)), false)
}

// readEverything calls every function that reads foreign documents.
func readEverything(t *testing.T, data []byte, accepted bool) {
	t.Helper()
	for _, side := range []document.Side{document.Inputs, document.Outputs} {
		d, err := message.Normalize(data, side)
		if (err == nil) != accepted {
			t.Fatalf("Normalize: error = %[2]v, want it accepted: %[1]t", accepted, err)
		}
		if _, err := message.Validate(data, side); (err == nil) != accepted {
			t.Fatalf("Validate: error = %[2]v, want it accepted: %[1]t", accepted, err)
		}
		if err != nil {
			continue
		}
		for _, to := range []document.Format{document.FormatNative, document.FormatChatCompletions, document.FormatMessages, document.FormatResponses, document.FormatFramework} {
			if built, _, err := message.Build(d, to, false); err == nil && !json.Valid(built) {
				t.Errorf("the result in format %s isn't valid JSON", to)
			}
		}
	}
	for _, format := range message.StreamFormats() {
		// Unknown chunks are kept in a list in an object, which exceeds the depth of JSON at the maximum.
		if reduced, err := message.Reduce(format, []json.RawMessage{data, data}); err == nil && !json.Valid(reduced) {
			t.Error("the reduced stream isn't valid JSON")
		}
	}
	run, _, err := DecodeRun(data)
	if err == nil {
		run.Complete(run.ID, time.Now())
		run.CheckEvents()
		run.CheckTrace()
		run.ThreadID()
	}
	var price usage.Price
	if !accepted && (json.Unmarshal(data, &price) == nil || err == nil) {
		t.Error("a run or price was read from invalid JSON, want errors")
	}
	if accepted {
		usage.Read(data)
		_ = json.Unmarshal(data, &price) // It may fail; it only must not crash.
	}
}
