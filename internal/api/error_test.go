package api_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestLocStep(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		json string
		want api.LocStep
	}{
		"key":           {`"cpu"`, api.Key("cpu")},
		"empty key":     {`""`, api.Key("")},
		"quoted number": {`"0"`, api.Key("0")},
		"escaped key":   {`"a\"b"`, api.Key(`a"b`)},
		"first":         {`0`, api.Index(0)},
		"other":         {`12`, api.Index(12)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := api.Index(99) // Decoding must replace this value.
			if err := json.Unmarshal([]byte(test.json), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
			encoded, err := json.Marshal(test.want)
			if err != nil || string(encoded) != test.json {
				t.Errorf("encoded = %s, %v; want %s", encoded, err, test.json)
			}
		})
	}
	for _, refused := range []string{`1.5`, `true`, `{}`, `["a"]`, `1e30`} {
		var step api.LocStep
		if err := json.Unmarshal([]byte(refused), &step); err == nil {
			t.Errorf("%s was decoded as %+v, want an error", refused, step)
		}
	}
}

func FuzzLocStep(f *testing.F) {
	for _, seed := range []string{`"cpu"`, `0`, `-1`, `9223372036854775807`, `1.0`, `""`, `"\u0000"`, `null`, ` 7 `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second api.LocStep
		if json.Unmarshal(data, &first) != nil {
			return
		}
		if first.Index != nil && first.Key != "" {
			t.Fatalf("%s was decoded as both a key and an index: %+v", data, first)
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
