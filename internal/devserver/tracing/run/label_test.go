package run

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// keysOf returns the keys of the metadata in labels, sorted.
func keysOf(labels []store.Label) []string {
	var keys []string
	for _, label := range labels {
		if label.Kind == store.Metadata {
			keys = append(keys, label.Key)
		}
	}
	slices.Sort(keys)
	return keys
}

// TestLabels checks that metadata is found by the path of its keys, and null isn't.
func TestLabels(t *testing.T) {
	t.Parallel()
	labels := labelsOf(&llmrun.Run{Tags: []string{"a"}, Metadata: map[string]json.RawMessage{
		"text": json.RawMessage(`"x"`), "number": json.RawMessage(`1.50`), "none": json.RawMessage(`null`),
		"object": json.RawMessage(`{"b": {"c": true}, "d": null}`), "list": json.RawMessage(`[1, 2]`),
	}})
	slices.SortFunc(labels, func(a, b store.Label) int { return strings.Compare(a.Key, b.Key) })
	m := store.Metadata
	want := []store.Label{
		{Value: "a"}, {Kind: m, Key: "list", Value: "[1,2]"}, {Kind: m, Key: "number", Value: "1.50"},
		{Kind: m, Key: "object", Value: `{"b":{"c":true},"d":null}`}, {Kind: m, Key: "object.b", Value: `{"c":true}`},
		{Kind: m, Key: "object.b.c", Value: "true"}, {Kind: m, Key: "text", Value: "x"},
	}
	assert.Same(t, "labels", want, labels)
}

// TestLabelsOfLongKeys checks that a long key isn't copied for each entry below it.
func TestLabelsOfLongKeys(t *testing.T) {
	long, fits := strings.Repeat("k", 1<<20), strings.Repeat("k", limits.MetadataKey-6)
	var members strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&members, `,"%d":1`, i)
	}
	inner := json.RawMessage("{" + members.String()[1:] + "}")
	run := &llmrun.Run{Metadata: map[string]json.RawMessage{long: inner, fits: inner, "short": json.RawMessage(`1`)}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	labels := labelsOf(run)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 32<<20 {
		t.Errorf("%d MB were allocated, want at most 32", taken>>20)
	}
	if len(labels) != limits.Labels || slices.ContainsFunc(labels, func(l store.Label) bool { return len(l.Key) > limits.MetadataKey }) {
		t.Errorf("%d labels, want %d with short keys", len(labels), limits.Labels)
	}
}

// TestLabelsAreCapped checks that a run has a bounded number of labels, always the same ones: tags in the order of the run, what the server
// itself looks up, and then metadata by its nesting and key.
func TestLabelsAreCapped(t *testing.T) {
	t.Parallel()
	const many = 20 * limits.Labels
	flat, deep := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	var tags, first []string
	var object strings.Builder
	for i := range many {
		key := fmt.Sprintf("k%06d", i)
		flat[key], tags = json.RawMessage(`1`), append(tags, "t"+key)
		fmt.Fprintf(&object, `,"%s":1`, key)
		if i < limits.Labels {
			first = append(first, key)
		}
	}
	own := []string{"OTEL_PARENT_SPAN_ID", "OTEL_SPAN_ID", "OTEL_TRACE_ID", "ls_model_name", "ls_user_id"}
	for _, key := range own {
		flat[key] = json.RawMessage(`"x"`)
	}
	for _, key := range []string{"a", "b"} {
		deep[key] = json.RawMessage("{" + object.String()[1:] + "}")
	}
	deep["c"], deep["d"] = json.RawMessage(`{"e":1}`), json.RawMessage(`1`)
	inA := []string{"a", "b", "c", "d"}
	for _, key := range first[:limits.Labels-4] {
		inA = append(inA, "a."+key)
	}
	slices.Sort(inA)
	for name, tc := range map[string]struct {
		metadata map[string]json.RawMessage
		want     []string
	}{
		"beside each other": {flat, append(slices.Clone(own), first[:limits.Labels-len(own)]...)},
		"nested":            {deep, inA},
	} {
		slices.Sort(tc.want)
		for range 3 { // The order of maps is random.
			labels := labelsOf(&llmrun.Run{Tags: tags, Metadata: tc.metadata})
			if diff := cmp.Diff(tc.want, keysOf(labels)); diff != "" {
				t.Fatalf("%s: keys (-want +got):\n%s", name, diff)
			}
			if n := len(labels) - len(tc.want); n != limits.Labels || labels[n-1].Value != tags[n-1] {
				t.Errorf("%s: %d tags, want the first %d", name, n, limits.Labels)
			}
		}
	}
}
