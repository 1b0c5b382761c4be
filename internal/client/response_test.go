package client

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

func TestReadBody(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reader io.Reader
		want   string
		err    error
	}{
		"empty":         {strings.NewReader(""), "", nil},
		"as long as it": {strings.NewReader("12345678"), "12345678", nil},
		"longer":        {strings.NewReader("123456789"), "", errTooLong},
		"broken":        {iotest.ErrReader(io.ErrUnexpectedEOF), "", io.ErrUnexpectedEOF},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readBody(test.reader, 8)
			if string(got) != test.want || !errors.Is(err, test.err) {
				t.Errorf("readBody = %q, %v; want %q, %v", got, err, test.want, test.err)
			}
		})
	}
}

func TestUnusableSuccess(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body, want string
	}{
		"empty":          {"", "200 OK: the response is empty"},
		"null":           {"null", "200 OK: the response is not a listener: it has no id"},
		"something else": {`{"status":"ok"}`, "200 OK: the response is not a listener: it has no id"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, answerWith(http.StatusOK, test.body))
			_, err := c.Listeners().Get(t.Context(), "1a000001-0000-4000-8000-000000000000")
			if want := "GET /v2/listeners/1a000001-0000-4000-8000-000000000000: " + test.want; err == nil || err.Error() != want {
				t.Errorf("error = %v, want %s", err, want)
			}
			if IsTransient(err) || len(s.calls()) != 1 {
				t.Errorf("transient: %v after %v, want a permanent error after one request", IsTransient(err), s.calls())
			}
		})
	}
}

func TestRequestThatIsNoJSON(t *testing.T) {
	t.Parallel()
	c, s := serve(t, answerWith(http.StatusCreated, nil))
	req := wanted()
	req.SourceConfig.ResourceSpec = api.Some(api.ResourceSpec{
		Volumes: []api.Volume{{Name: "a", EmptyDir: api.Object{"sizeLimit": json.RawMessage("1Gi")}}},
	})
	_, _, err := c.CreateDeployment(t.Context(), req)
	if err == nil || !strings.HasPrefix(err.Error(), "POST /v2/deployments: encode the request: ") || IsAmbiguous(err) {
		t.Errorf("error = %v, want one about encoding the request that isn't ambiguous", err)
	}
	if calls := s.calls(); slices.Contains(calls, "POST /v2/deployments") {
		t.Errorf("sent %v, want no creation", calls)
	}
}

// A proxy's response can end up on a terminal: it must be one line, without a secret that the proxy echoed.
func FuzzErrorBody(f *testing.F) {
	for _, seed := range []string{
		`{"detail":"no"}`, `{"detail":[{"loc":["body",0],"msg":"m","type":"t"}]}`, `{"detail":[1,"x",{}]}`, `{"message":"m"}`,
		`<html>hunter22</html>`, "a\x00b\x1b[31m\r\n", `{"detail":"hunter22\nhunter22"}`, `{"detail":{"x":"hunter22"}}`, `[]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		detail, problems, _ := errorBody(body, mask.New("hunter22"))
		text := (&Error{Method: "GET", Path: "/p", Status: 400, Detail: detail, Validation: problems}).Error()
		if strings.Contains(text, "hunter22") {
			t.Errorf("%q: the error contains the secret: %q", body, text)
		}
		if strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("%q: the error contains control characters: %q", body, text)
		}
	})
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
