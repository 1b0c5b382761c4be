package resourcespec

import (
	"encoding/json"
	"testing"
)

// FuzzParseQuantity parses arbitrary texts as Kubernetes quantities: each is refused, or an amount that isn't negative.
func FuzzParseQuantity(f *testing.F) {
	for _, text := range []string{"", "1", "0.5", ".5", "5.", "100m", "1Gi", "1e3", "12E+02", "-1", "1 Gi", "1e999", "٣"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		amount, err := parseQuantity(text)
		if (amount == nil) != (err != nil) || amount != nil && amount.Sign() < 0 {
			t.Errorf("%q was parsed as %v, %v; want an amount or an error", text, amount, err)
		}
	})
}

// FuzzFromJSON decodes arbitrary responses as each field of the spec. Decoded values must be the same after encoding
// and decoding them again.
func FuzzFromJSON(f *testing.F) {
	for _, text := range []string{
		"", "null", "{}", "[]", "1", `"a"`, `{"cpu":1}`, `{"cpu":"1"}`, `{"min_scale":1e30}`, `{"cpu":0.1,"replicas":null}`,
		`{"volumes":[{"name":"a","emptyDir":{}}]}`, `{"labels":{"a":"b"}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, attributeType := range Types() {
			value, err := fromJSON(attributeType, json.RawMessage(text))
			if err != nil {
				continue
			}
			converted, complete := toJSON(value)
			if !complete {
				t.Fatalf("%s: %s contains unknown values", name, value)
			}
			data, err := json.Marshal(converted)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := fromJSON(attributeType, data); err != nil || !again.Equal(value) {
				t.Errorf("%s: %s was decoded again as %s, from %s: %v", name, value, again, data, err)
			}
		}
	})
}
