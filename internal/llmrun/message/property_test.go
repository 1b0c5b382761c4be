package message

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/agents"
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

// newMutator returns a mutator with the values of the goldens of ownFormats and others.
func newMutator(t *testing.T, seed uint64, others ...document.Format) *mutator {
	t.Helper()
	m := &mutator{
		Rand:   rand.New(rand.NewPCG(seed, 1)),
		keys:   []string{"", "unknown", "extras", "a/b~c", "raw", "lists", "choice", "generation"},
		values: []any{nil, true, json.Number("0.10"), json.Number("12345678901234567890"), "", "ünï\u2028<&>", []any{}, map[string]any{}},
	}
	for _, g := range goldens(t, append(slices.Clone(ownFormats), others...)...) {
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

// mutations counts the formats of the mutations that were read.
type mutations map[document.Format]int

// check mutates a document several times, and checks each of the results.
func (read mutations) check(t *testing.T, m *mutator, original any, side document.Side, times int, checks ...func(*testing.T, *document.Document)) {
	t.Helper()
	for range times {
		data, err := json.Marshal(m.mutate(original))
		assert.Must(t, err)
		d := normalized(t, data, side)
		read[d.Format]++
		checkDocument(t, d, data)
		for _, check := range checks {
			check(t, d)
		}
		if _, err := Validate(data, side); err != nil {
			t.Fatal(err)
		}
	}
}

func (read mutations) want(t *testing.T, formats ...document.Format) {
	t.Helper()
	for _, format := range formats {
		if read[format] < 50 {
			t.Errorf("%d documents were read as %s, want at least 50: %v", read[format], format, read)
		}
	}
}

// TestNothingIsLost mutates every known document many times: whatever format it is read as, building it back results in the same
// document, normalizing is idempotent, and a conversion results in the whole content or an error.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m, read := newMutator(t, seed), mutations{}
			for _, g := range goldens(t, ownFormats...) {
				read.check(t, m, decoded(t, g.doc), g.side, 15, checkConversions, checkLossy)
			}
			read.want(t, ownFormats...)
		})
		t.Run(fmt.Sprint("items ", seed), func(t *testing.T) {
			t.Parallel()
			m, read := newMutator(t, seed, itemFormats...), mutations{}
			for _, g := range goldens(t, append(itemFormats, document.FormatChatCompletions)...) {
				for _, doc := range [][]byte{g.doc, g.native} {
					read.check(t, m, decoded(t, doc), g.side, 10, checkItemConversions)
				}
			}
			read.want(t, itemFormats...)
		})
	}
}

// TestReadFormatsKeepEverything mutates documents of formats that can only be read.
func TestReadFormatsKeepEverything(t *testing.T) {
	t.Parallel()
	m, read := newMutator(t, 17, readFormats...), mutations{}
	cases := agentCases(t)
	for _, g := range cases {
		m.collect(decoded(t, g.doc))
	}
	for _, g := range append(goldens(t, readFormats...), cases...) {
		read.check(t, m, decoded(t, g.doc), g.side, 60, checkConversions)
	}
	read.want(t, slices.Concat(readFormats, agents.Formats)...)
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
	assert.Must(t, json.Unmarshal(readFile(t, "../testdata/contract.json"), &contract))
	m, mutated := newMutator(t, 23), 0
	for _, member := range contract.Members {
		if member.Kind != "message" && member.Kind != "part" {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(member.Samples)) {
			sample := member.Samples[name]
			list := []any{sample}
			assistant := func(key string) map[string]any { return map[string]any{"role": "assistant", key: list} }
			for _, doc := range []any{
				map[string]any{"messages": list}, map[string]any{"messages": []any{assistant("content")}}, map[string]any{"messages": []any{assistant("parts")}},
				map[string]any{"input": list, "model": "m"}, map[string]any{"output": list}, map[string]any{"contents": []any{assistant("parts")}},
				map[string]any{"prompt": list}, assistant("content"), sample,
			} {
				// As inputs and as outputs by turns: there are ten documents to a sample.
				mutated++
				mutations{}.check(t, m, doc, []document.Side{document.Inputs, document.Outputs}[mutated%2], 1, checkConversions)
			}
		}
	}
}
