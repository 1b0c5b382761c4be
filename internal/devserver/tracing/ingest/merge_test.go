package ingest_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ earlier, later, want ingest.Fields }{
		"nothing": {nil, nil, fields()},
		"a field replaces the field": {
			fields("name", `"a"`, "inputs", `{"a":1}`, "tags", `["x"]`), fields("inputs", `{"b":2}`, "end_time", `7`),
			fields("name", `"a"`, "inputs", `{"b":2}`, "tags", `["x"]`, "end_time", `7`),
		},
		"extra is merged": {
			fields("extra", `{"metadata":{"a":1,"b":{"c":1}},"runtime":{"sdk":"x"}}`),
			fields("extra", `{"metadata":{"a":2.50,"b":{"d":[1]},"e":null}}`),
			fields("extra", `{"metadata":{"a":2.50,"b":{"c":1,"d":[1]},"e":null},"runtime":{"sdk":"x"}}`),
		},
		"null says nothing": {
			fields("extra", `{"metadata":{"a":1}}`), fields("extra", `{"metadata":null,"runtime":null}`),
			fields("extra", `{"metadata":{"a":1},"runtime":null}`),
		},
		"a list is replaced":       {fields("extra", `{"a":[1,2]}`), fields("extra", `{"a":[3]}`), fields("extra", `{"a":[3]}`)},
		"what is no object":        {fields("extra", `7`), fields("extra", `{"a":1}`), fields("extra", `{"a":1}`)},
		"what is no object either": {fields("extra", `{"a":1}`), fields("extra", `7`), fields("extra", `7`)},
		"deeper than five": {
			fields("extra", `{"1":{"2":{"3":{"4":{"5":{"a":1}}}}}}`), fields("extra", `{"1":{"2":{"3":{"4":{"5":{"b":1}}}}}}`),
			fields("extra", `{"1":{"2":{"3":{"4":{"5":{"b":1}}}}}}`),
		},
		"exactly five": {
			fields("extra", `{"1":{"2":{"3":{"4":{"a":1}}}}}`), fields("extra", `{"1":{"2":{"3":{"4":{"b":1}}}}}`),
			fields("extra", `{"1":{"2":{"3":{"4":{"a":1,"b":1}}}}}`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := cmp.Diff(nil, tc.earlier)
			got := ingest.Merge(tc.earlier, tc.later)
			assert.Same(t, "result", tc.want, got, cmp.Transformer("text", func(m json.RawMessage) string { return string(m) }))
			if after := cmp.Diff(nil, tc.earlier); after != before {
				t.Errorf("the merge changed its argument:\n%s", after)
			}
		})
	}
	inTurn := ingest.Merge(fields("extra", `{"metadata":{"a":1}}`), fields("extra", `{"metadata":"x"}`), fields("extra", `{"metadata":{"b":2}}`))
	assert.Same(t, "extra after a value that is no object", `{"metadata":{"b":2}}`, string(inTurn["extra"]))
}
