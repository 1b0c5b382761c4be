package llmrun

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
)

func TestHooks(t *testing.T) {
	t.Parallel()
	shout := func(values json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(strings.ToUpper(string(values))), nil
	}
	r := &Run{Inputs: json.RawMessage(`{"a":"x"}`), Outputs: json.RawMessage(`["assistant","hi"]`)}
	if err := r.ProcessInputs(shout); err != nil {
		t.Fatal(err)
	}
	wrap := func(values json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"output":` + string(values) + `}`), nil
	}
	if err := r.ProcessOutputs(wrap); err != nil {
		t.Fatal(err)
	}
	if string(r.Inputs) != `{"A":"X"}` || string(r.Outputs) != `{"output":["assistant","hi"]}` {
		t.Errorf("inputs %s, outputs %s", r.Inputs, r.Outputs)
	}
}

func TestHookFailuresKeepTheRun(t *testing.T) {
	t.Parallel()
	returns := func(s string) Hook {
		return func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(s), nil }
	}
	for name, tc := range map[string]struct {
		hook Hook
		want string
		is   error
	}{
		"an error":         {func(json.RawMessage) (json.RawMessage, error) { return nil, io.ErrUnexpectedEOF }, "unexpected EOF", io.ErrUnexpectedEOF},
		"a panic":          {func(json.RawMessage) (json.RawMessage, error) { panic("boom") }, "the hook panicked: boom", nil},
		"an error's panic": {func(json.RawMessage) (json.RawMessage, error) { panic(io.EOF) }, "the hook panicked: EOF", io.EOF},
		"a runtime panic":  {func(v json.RawMessage) (json.RawMessage, error) { return v[:len(v)+1<<20], nil }, "the hook panicked: runtime error", nil},
		"nothing":          {returns(""), "not JSON", nil},
		"broken JSON":      {returns(`{"a"`), "not JSON", nil},
		"broken UTF-8":     {returns("{\"a\":\"\xff\"}"), "not JSON", nil},
		"a list":           {returns(`[1]`), "not an object", nil},
		"null":             {returns(`null`), "not an object", nil},
		"a change in place, then an error": {func(v json.RawMessage) (json.RawMessage, error) {
			v[0] = '!'
			return v, errors.New("too late")
		}, "too late", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &Run{Inputs: json.RawMessage(`{"a":1}`), Outputs: json.RawMessage(`{"b":2}`)}
			for side, process := range map[message.Side]func(Hook) error{message.Inputs: r.ProcessInputs, message.Outputs: r.ProcessOutputs} {
				err := process(tc.hook)
				failed, ok := errors.AsType[*HookError](err)
				if !ok || failed.Side != side || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), side.String()+" are kept") {
					t.Errorf("%s: error %v", side, err)
				}
				if tc.is != nil && !errors.Is(err, tc.is) {
					t.Errorf("%v is not %v", err, tc.is)
				}
			}
			if string(r.Inputs) != `{"a":1}` || string(r.Outputs) != `{"b":2}` {
				t.Errorf("inputs %s, outputs %s", r.Inputs, r.Outputs)
			}
		})
	}
}

func TestHooksWithoutValues(t *testing.T) {
	t.Parallel()
	r := &Run{Outputs: json.RawMessage(`{}`)}
	never := func(json.RawMessage) (json.RawMessage, error) { panic("called for nothing") }
	if err := errors.Join(r.ProcessInputs(never), r.ProcessOutputs(nil)); err != nil {
		t.Fatal(err)
	}
	if r.Inputs != nil || string(r.Outputs) != `{}` {
		t.Errorf("inputs %s, outputs %s", r.Inputs, r.Outputs)
	}
}
