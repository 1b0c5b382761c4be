package api_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

type body struct {
	Field api.Optional[[]int] `json:"field,omitzero"`
}

func TestOptional(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		json    string
		want    api.Optional[[]int]
		value   []int
		present bool
	}{
		"absent": {`{}`, api.Optional[[]int]{}, nil, false},
		"null":   {`{"field":null}`, api.Optional[[]int]{Present: true}, nil, false},
		"empty":  {`{"field":[]}`, api.Some([]int{}), []int{}, true},
		"value":  {`{"field":[1,2]}`, api.Some([]int{1, 2}), []int{1, 2}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got body
			if err := json.Unmarshal([]byte(test.json), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(body{test.want}, got); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
			encoded, err := json.Marshal(body{test.want})
			if err != nil || string(encoded) != test.json {
				t.Errorf("encoded = %s, %v; want %s", encoded, err, test.json)
			}
			value, present := test.want.Get()
			if diff := cmp.Diff(test.value, value); diff != "" || present != test.present {
				t.Errorf("Get: present %v, want %v (-want +got):\n%s", present, test.present, diff)
			}
			if zero := test.want.IsZero(); zero != (name == "absent") {
				t.Errorf("IsZero() = %t, want %t", zero, !zero)
			}
		})
	}
}

// TestOptionalIsReplaced decodes into an Optional that has a value: it must not keep that value.
func TestOptionalIsReplaced(t *testing.T) {
	t.Parallel()
	got := body{api.Some([]int{1})}
	if err := json.Unmarshal([]byte(`{"field":null}`), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(body{api.Optional[[]int]{Present: true}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := json.Unmarshal([]byte(`{"field":"text"}`), &got); err == nil {
		t.Errorf("a string was decoded as a list: %+v, want an error", got)
	}
}

func TestFromPtr(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(api.Optional[string]{}, api.FromPtr[string](nil)); diff != "" {
		t.Errorf("FromPtr(nil) (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(api.Some(""), api.FromPtr(new(string))); diff != "" {
		t.Errorf("FromPtr of an empty string (-want +got):\n%s", diff)
	}
}

func FuzzOptional(f *testing.F) {
	for _, seed := range []string{`{}`, `{"field":null}`, `{"field":[]}`, `{"field":[1]}`, `{"field": 1 }`, `{"FIELD":[2]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second body
		if json.Unmarshal(data, &first) != nil {
			return
		}
		if first.Field.Value != nil && !first.Field.Present {
			t.Fatalf("%s was decoded as absent, but with a value", data)
		}
		encoded, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(encoded, &second); err != nil {
			t.Fatalf("%s was encoded as %s, which can't be decoded: %v", data, encoded, err)
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%s was encoded as %s, which decodes differently (-first +second):\n%s", data, encoded, diff)
		}
	})
}
