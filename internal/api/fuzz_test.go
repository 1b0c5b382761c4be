package api

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzAnswers translates bodies and decodes them as each type of response. Everything decoded must encode, and must decode
// again to the same value.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		`{"id": "d", "source": "external_docker", "source_config": {"resource_spec": {"redis_cpu": 1}}, "secrets": [{"name": "A", "value": null}]}`,
		`{"resources": [{"id": "r", "status": "DEPLOYED"}], "offset": 1}`, `[{"id": 1, "url": "u"}]`, `{"logs": [{"message": "m"}]}`,
		`{"items": [{"id": "r", "total_cost": "1e400"}], "next_cursor": "c"}`, `{"prompt_cost": "0.1", "completion_cost": 1e-6}`,
		`{"detail": [{"loc": ["body", 0, "name"], "msg": "m"}]}`, `{"run_count": 1e999}`, `{"id": null}`, "[[[[", "\xff",
		strings.Repeat("[", 2*MaxDepth), strings.Repeat(`{"resources":`, 500) + "1" + strings.Repeat("}", 500), strings.Repeat(`{"source_config":`, 20_000),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, dialect := range Dialects {
			neutral := dialect.Body(body)
			decoded[Deployment](t, neutral)
			decoded[Revision](t, neutral)
			decoded[Listener](t, neutral)
			decoded[Integration](t, neutral)
			decoded[OAuthProviderResponse](t, neutral)
			decoded[HTTPValidationError](t, neutral)
			decoded[DeploymentCreateRequest](t, neutral)
			decoded[DeploymentPatchRequest](t, neutral)
		}
		decoded[LogsResponse](t, body)
		decoded[ModelPrice](t, body)
		decoded[TracingProject](t, body)
		decoded[RunPage](t, body)
		decoded[RunStats](t, body)
	})
}

func decoded[T any](t *testing.T, body []byte) {
	t.Helper()
	var once, twice T
	if json.Unmarshal(body, &once) != nil {
		return
	}
	written, err := json.Marshal(once)
	if err != nil {
		t.Fatalf("%T can't be encoded: %v", once, err)
	}
	if err := json.Unmarshal(written, &twice); err != nil {
		t.Fatalf("the encoded %T can't be decoded: %v\n%s", once, err, written)
	}
	if again, err := json.Marshal(twice); err != nil || !bytes.Equal(again, written) {
		t.Errorf("second encoding of %T = %s, %v; want the first, %s", once, again, err, written)
	}
}
