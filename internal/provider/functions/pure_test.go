package functions

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// logged returns documents of all formats, as inputs and as outputs.
func logged(t *testing.T) (inputs, outputs []string) {
	t.Helper()
	paths, err := filepath.Glob("../../llmrun/message/testdata/*/*puts_*.json")
	if err != nil || len(paths) < 200 {
		t.Fatalf("found %d documents, %v; want at least 200", len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(filepath.Base(path), "inputs_") {
			inputs = append(inputs, string(data))
		} else {
			outputs = append(outputs, string(data))
		}
	}
	return inputs, outputs
}

// TestFunctionsArePure calls functions with randomly composed runs, repeatedly and concurrently: the same
// arguments must give the same result, whatever else is called.
func TestFunctionsArePure(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 3))
	inputs, outputs := logged(t)
	type callOf struct {
		function  string
		arguments []attr.Value
		want      string
	}
	run := func(c callOf) string {
		got, err := result(t, c.function, c.arguments...)
		if err != nil {
			return err.Error()
		}
		return got
	}
	str := func(s string) attr.Value { return types.StringValue(s) }
	var calls []callOf
	add := func(function string, arguments ...attr.Value) {
		c := callOf{function: function, arguments: arguments}
		c.want = run(c)
		calls = append(calls, c)
	}
	for range 150 {
		in, out := inputs[r.IntN(len(inputs))], outputs[r.IntN(len(outputs))]
		text := fmt.Sprintf(`{"run_type":"llm","start_time":"2026-05-02T10:00:00Z","inputs":%s,"outputs":%s}`, in, out)
		if r.IntN(10) == 0 {
			text = text[:r.IntN(len(text))]
		}
		for _, function := range []string{"usage", "model_name", "time_to_first_token"} {
			add(function, str(text))
		}
		for side, document := range map[string]string{"inputs": in, "outputs": out} {
			add("normalize_messages", str(document), str(side))
			add("validate_messages", str(document))
			add("convert_messages", str(document), str(string(formats[r.IntN(len(formats))])), str(side))
		}
		add("default_model_price", str(fmt.Sprintf("gpt-4o-%d", r.IntN(20))), str("openai"))
		add("estimate_cost", used(t, float64(r.IntN(1000)), float64(r.IntN(1000)), float64(r.IntN(1000))), prices(t, ``))
	}
	var group sync.WaitGroup
	for range 4 {
		order := r.Perm(len(calls))
		group.Go(func() {
			for _, i := range order {
				if got := run(calls[i]); got != calls[i].want {
					t.Errorf("%s returned %s, then %s", calls[i].function, calls[i].want, got)
				}
			}
		})
	}
	group.Wait()
}
