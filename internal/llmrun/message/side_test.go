package message

import "testing"

// TestNormalizeEither distinguishes answers from requests by the members next to the messages, and reads a plain list of messages as inputs.
func TestNormalizeEither(t *testing.T) {
	t.Parallel()
	const item = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}`
	for doc, want := range map[string]Side{
		`{"output":[` + item + `]}`:                                                   Outputs,
		`{"id":"r","output":[` + item + `],"status":"completed"}`:                     Outputs,
		`{"object":"response","output":[` + item + `],"tools":[],"temperature":1}`:    Outputs,
		`{"output":[{"role":"assistant","content":"Hi"}]}`:                            Outputs,
		`{"choices":[{"message":{"role":"assistant","content":"Hi"}}]}`:               Outputs,
		`{"role":"assistant","content":"Hi"}`:                                         Outputs,
		`{"type":"message","role":"assistant","content":[],"stop_reason":"end_turn"}`: Outputs,
		`["assistant","Hi"]`:                Outputs,
		`{"generations":[[{"text":"Hi"}]]}`: Outputs,
		`{"messages":[{"role":"user","content":"Hi"}],"usage_metadata":{}}`: Outputs,
		`{"input":[` + item + `],"tools":[]}`:                               Inputs,
		`{"input":"Hi"}`:                                                    Inputs,
		`{"messages":[{"role":"user","content":"Hi"}]}`:                     Inputs,
		`{"messages":[{"role":"assistant","content":"Hi"}]}`:                Inputs,
		`[{"role":"user","content":"Hi"}]`:                                  Inputs,
		`{"role":"user","content":"Hi"}`:                                    Inputs,
		`{"prompt":"Hi","max_tokens":5}`:                                    Inputs,
		`{"question":"Hi"}`:                                                 Inputs,
		`7`:                                                                 Inputs,
		// Documents that can be read as one side only.
		`{"result":{"choices":[{"message":{"role":"assistant","content":"Hi"}}]}}`:               Outputs,
		`{"kwargs":{"messages":[{"role":"user","content":"Hi"}]}}`:                               Inputs,
		`{"args":[{"messages":[{"role":"user","content":"Hi"}]},{"headers":{}}]}`:                Inputs,
		`{"messages":[[{"lc":1,"id":["HumanMessage"],"kwargs":{"content":"Hi"}}]],"usage":null}`: Inputs,
		`{"question":[{"role":"user","content":"Hi"}],"response":1}`:                             Inputs,
	} {
		d, err := NormalizeEither([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if d.Side != want {
			t.Errorf("%s: side = %s, want %s", doc, d.Side, want)
		}
	}
	if _, err := NormalizeEither([]byte(`{`)); err == nil {
		t.Error("NormalizeEither of invalid JSON: error = nil, want one")
	}
}
