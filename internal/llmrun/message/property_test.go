package message

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// mutator makes new documents from known ones: it replaces, adds, removes and repeats values anywhere, with values from other
// documents and values that no format knows.
type mutator struct {
	*rand.Rand
	// keys and values are all those in the known documents.
	keys   []string
	values []any
}

func newMutator(t *testing.T, seed uint64) *mutator {
	t.Helper()
	m := &mutator{
		Rand:   rand.New(rand.NewPCG(seed, 1)),
		keys:   []string{"", "unknown", "extras", "a/b~c", "raw", "lists", "choice", "generation"},
		values: []any{nil, true, json.Number("0.10"), json.Number("12345678901234567890"), "", "ünï\u2028<&>", []any{}, map[string]any{}},
	}
	for _, g := range goldens(t, ownFormats...) {
		m.collect(decoded(t, g.doc))
	}
	return m
}

func (m *mutator) collect(v any) {
	m.values = append(m.values, v)
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			m.collect(e)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			m.keys = append(m.keys, key)
			m.collect(v[key])
		}
	}
}

func (m *mutator) value() any { return m.values[m.IntN(len(m.values))] }

func (m *mutator) key() string { return m.keys[m.IntN(len(m.keys))] }

// mutate copies a value and changes about one of twenty of its parts.
func (m *mutator) mutate(v any) any {
	if m.IntN(20) == 0 {
		return m.value()
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, 0, len(v)+1)
		for _, e := range v {
			if m.IntN(30) != 0 {
				out = append(out, m.mutate(e))
			}
		}
		if m.IntN(20) == 0 {
			out = append(out, m.value())
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v)+1)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if m.IntN(30) != 0 {
				out[key] = m.mutate(v[key])
			}
		}
		if m.IntN(10) == 0 {
			out[m.key()] = m.value()
		}
		return out
	default:
		return v
	}
}

// TestNothingIsLost mutates every known document many times: whatever format it is read as, building it back results in the same
// document, normalizing is idempotent, and a conversion results in the whole content or an error.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := newMutator(t, seed)
			read := map[document.Format]int{}
			for _, g := range goldens(t, ownFormats...) {
				original := decoded(t, g.doc)
				for range 15 {
					data, err := json.Marshal(m.mutate(original))
					if err != nil {
						t.Fatal(err)
					}
					d, err := Normalize(data, g.side)
					if err != nil {
						t.Fatal(err)
					}
					read[d.Format]++
					checkDocument(t, d, data)
					checkConversions(t, d)
					checkLossy(t, d)
					if _, err := Validate(data, g.side); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, format := range ownFormats {
				if read[format] < 50 {
					t.Errorf("%d documents were read as %s, want at least 50: %v", read[format], format, read)
				}
			}
		})
	}
}

// TestNothingOfContractIsLost mutates what the SDKs of providers declare, as a message, a part, an item and a part without a type of
// any provider.
func TestNothingOfContractIsLost(t *testing.T) {
	t.Parallel()
	var contract struct {
		Members []struct {
			Kind    string
			Samples map[string]any
		}
	}
	if err := json.Unmarshal(readFile(t, "../testdata/contract.json"), &contract); err != nil {
		t.Fatal(err)
	}
	m := newMutator(t, 23)
	for _, member := range contract.Members {
		if member.Kind != "message" && member.Kind != "part" {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(member.Samples)) {
			sample := member.Samples[name]
			list := []any{sample}
			assistant := func(key string) map[string]any { return map[string]any{"role": "assistant", key: list} }
			for _, document := range []any{
				map[string]any{"messages": list}, map[string]any{"messages": []any{assistant("content")}}, map[string]any{"messages": []any{assistant("parts")}},
				map[string]any{"input": list, "model": "m"}, map[string]any{"output": list}, map[string]any{"contents": []any{assistant("parts")}},
				map[string]any{"prompt": list}, assistant("content"), sample,
			} {
				checkMutation(t, m, document)
			}
		}
	}
}

func checkMutation(t *testing.T, m *mutator, original any) {
	t.Helper()
	data, err := json.Marshal(m.mutate(original))
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []document.Side{document.Inputs, document.Outputs} {
		d, err := Normalize(data, side)
		if err != nil {
			t.Fatal(err)
		}
		checkDocument(t, d, data)
		checkConversions(t, d)
		if _, err := Validate(data, side); err != nil {
			t.Fatal(err)
		}
	}
}
