package rest

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	text := "v"
	for name, tc := range map[string]struct {
		body any
		want string
	}{
		"nulls for what is absent": {
			api.VolumeMount{Name: "a", MountPath: "/b"},
			`{"mountPath":"/b","mountPropagation":null,"name":"a","readOnly":null,"subPath":null,"subPathExpr":null}`,
		},
		"inside lists and pointers": {
			&[]api.EnvVar{{Name: "A"}, {Name: "B", Value: &text}},
			`[{"name":"A","value":null,"valueFrom":null},{"name":"B","value":"v","valueFrom":null}]`,
		},
		"nil and empty differ": {
			api.ResourceRequirements{Limits: map[string]string{}},
			`{"limits":{},"requests":null}`,
		},
		"free objects stay": {api.Object{"a": json.RawMessage(`{"b":1.50}`)}, `{"a":{"b":1.50}}`},
		"own encodings stay": {
			api.ValidationError{Loc: []api.LocStep{api.Key("a"), api.Index(1)}},
			`{"loc":["a",1],"msg":"","type":""}`,
		},
		"nothing": {nil, `null`},
		"hidden fields are hidden": {
			Fault{Status: 500, WorkspaceID: "w"},
			`{"body":null,"detail":"","drop":false,"drop_before":false,"html":"","latency_ms":0,"match":"","retry_after":null,"rollout":null,"skip":0,"stale":false,"status":500,"swallow":false,"times":0}`,
		},
	} {
		got, err := json.Marshal(form.Complete(reflect.ValueOf(tc.body), api.Neutral))
		assert.Must(t, err)
		assert.Same(t, name, tc.want, string(got))
	}
}
