package api_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestResourceSpecKeepsWhatItDoesNotKnow reads a spec of a newer service, changes it and writes it back.
func TestResourceSpecKeepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	var spec api.ResourceSpec
	if err := json.Unmarshal([]byte(`{"cpu": 1, "core_cpu": 0.5, "gpu": {"count": 2}, "tpu": null, "labels": null}`), &spec); err != nil {
		t.Fatal(err)
	}
	two := api.CPU(2)
	spec.CPU = &two
	got, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"core_cpu":0.5,"cpu":2,"gpu":{"count":2}}`, string(got)); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}
