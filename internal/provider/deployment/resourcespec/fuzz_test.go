package resourcespec

import (
	"encoding/json"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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

// FuzzWhole reads arbitrary specs of a service: each is refused, or equal after a conversion to a request and back.
func FuzzWhole(f *testing.F) {
	for _, text := range []string{
		"", "null", "{}", "[]", `{"cpu":1}`, `{"cpu":"1"}`, `{"min_scale":1e30}`, `{"min_scale":9223372036854775807}`, `{"db_cpu":1e999}`,
		`{"cpu":0.1,"replicas":null}`, `{"volumes":[{"name":"a","emptyDir":{}}]}`, `{"volumes":["a"]}`, `{"volumes":[null]}`,
		`{"labels":{"a":"b"}}`, `{"labels":{"a":null}}`, `{"labels":{"a":1}}`, `{"service_account_name":"a"}`,
		`{"sidecars":[{"name":"a","image":"b","args":[null],"env":[{"name":"c"}],"envFrom":[{"d":1}],"volumeMounts":[{"readOnly":false}]}]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var spec api.ResourceSpec
		if json.Unmarshal([]byte(text), &spec) != nil {
			return // No client decodes it.
		}
		whole := Whole(spec)
		sent, complete, diags := ToAPI(whole)
		if !complete || diags.HasError() {
			t.Fatalf("%s can't be sent: %v", whole, diags)
		}
		if again := Whole(sent); !again.Equal(whole) {
			t.Errorf("%s was read again as %s", whole, again)
		}
	})
}
