package api_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestList(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		json string
		want api.List[int]
		err  bool
	}{
		"wrapper":               {`{"resources":[1,2],"offset":2}`, api.List[int]{Resources: []int{1, 2}, Offset: 2}, false},
		"wrapper, empty":        {`{"resources":[],"offset":0}`, api.List[int]{Resources: []int{}}, false},
		"wrapper, other order":  {`{"offset":2,"total":9,"resources":[1]}`, api.List[int]{Resources: []int{1}, Offset: 2}, false},
		"array":                 {`[1,2]`, api.List[int]{Resources: []int{1, 2}}, false},
		"array, empty":          {`[]`, api.List[int]{Resources: []int{}}, false},
		"array of other things": {`["a"]`, api.List[int]{}, true},
		"no resources":          {`{"detail":"no"}`, api.List[int]{}, false},
		"resources of a kind":   {`{"resources":{}}`, api.List[int]{}, true},
		"text":                  {`"[]"`, api.List[int]{}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got api.List[int]
			err := json.Unmarshal([]byte(test.json), &got)
			if (err != nil) != test.err {
				t.Fatalf("error = %v, want an error: %t", err, test.err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" && !test.err {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBareArrayForgetsTheOffset(t *testing.T) {
	t.Parallel()
	got := api.List[int]{Resources: []int{9}, Offset: 9}
	if err := got.UnmarshalJSON([]byte("\n\t [1]")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(api.List[int]{Resources: []int{1}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzList(f *testing.F) {
	for _, seed := range []string{`[]`, ` [1]`, `{}`, `{"resources":[1],"offset":1}`, `{"resources":null}`, `null`, `[null]`, `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var list api.List[json.RawMessage]
		err := json.Unmarshal(data, &list)
		if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
			return // The wrapper is decoded by the standard library.
		}
		var items []json.RawMessage
		if want := json.Unmarshal(data, &items); (err == nil) != (want == nil) {
			t.Fatalf("%s: error = %v, want the same as for a plain array: %v", data, err, want)
		}
		if diff := cmp.Diff(items, list.Resources); err == nil && diff != "" {
			t.Errorf("%s (-array +list):\n%s", data, diff)
		}
	})
}
