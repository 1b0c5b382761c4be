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
