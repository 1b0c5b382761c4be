package client

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// answers are the objects of responses.
var answers = []reflect.Type{
	reflect.TypeFor[api.Deployment](), reflect.TypeFor[api.Revision](), reflect.TypeFor[api.Listener](), reflect.TypeFor[api.Integration](),
	reflect.TypeFor[api.Repository](), reflect.TypeFor[api.OAuthProviderResponse](), reflect.TypeFor[api.OAuthTokenSummary](),
	reflect.TypeFor[api.AgentConnectionResponse](), reflect.TypeFor[api.ModelPrice](), reflect.TypeFor[api.TracingProject](),
}

// TestSpelling decodes each object with all its fields, with UUIDs in capitals and integers as 2.0: the object is the same.
func TestSpelling(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, hangUp)
	for _, kind := range answers {
		t.Run(kind.Name(), func(t *testing.T) {
			t.Parallel()
			want := sample(kind, 2)
			identify(want)
			data, err := json.Marshal(want.Interface())
			if err != nil {
				t.Fatal(err)
			}
			body := string(data)
			if upper := strings.ReplaceAll(body, anyUUID, strings.ToUpper(anyUUID)); upper == body {
				t.Error("no field is an ID")
			} else {
				body = upper
			}
			body = fractional(body)
			got := reflect.New(kind)
			r := request{method: http.MethodGet, accept: func(body []byte) error {
				if err := decode(body, got.Interface()); err != nil {
					return err
				}
				return normalizeIDs(got.Interface())
			}}
			if err := c.judge(&response{request: r, status: http.StatusOK, body: []byte(body)}); err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			again, err := json.Marshal(got.Interface())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(data), string(again)); diff != "" {
				t.Errorf("decoded from another spelling (-want +got):\n%s", diff)
			}
		})
	}
}

const anyUUID = "ab000001-0000-4000-8000-00000000cdef"

// identify gives all IDs of an object a UUID.
func identify(v reflect.Value) {
	v = reflect.Indirect(v)
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("format") != "" {
			reflect.Indirect(v.Field(i)).SetString(anyUUID)
			continue
		}
		identify(v.Field(i))
	}
}

// fractional writes the integers of the samples with a fraction.
func fractional(body string) string {
	for _, end := range []string{",", "}", "]"} {
		body = strings.ReplaceAll(body, ":2"+end, ":2.0"+end)
	}
	return body
}

func TestWithIntegers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"a": 2.0, "b": [-3.00, 0.0]}`:           `{"a": 2, "b": [-3, 0]}`,
		`{"a": 2.5, "b": 2.05, "c": 2.0e3}`:       `{"a": 2.5, "b": 2.05, "c": 2.0e3}`,
		`{"2.0": "is 2.0", "b": "\"2.0\" 3.0\\"}`: `{"2.0": "is 2.0", "b": "\"2.0\" 3.0\\"}`,
	} {
		if got := string(withIntegers([]byte(body))); got != want {
			t.Errorf("withIntegers(%s) = %s, want %s", body, got, want)
		}
	}
}
