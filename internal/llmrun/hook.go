package llmrun

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Hook transforms the inputs or the outputs of one run before they are logged: it is given the JSON value and returns
// the object to log instead.
type Hook func(values json.RawMessage) (json.RawMessage, error)

// ProcessInputs replaces the run's inputs by what the hook makes of them. A hook that fails, panics or returns anything
// but an object leaves them as they were, and the failure is a *HookError: a run is never lost to its hook.
func (r *Run) ProcessInputs(hook Hook) error {
	return process(message.Inputs, &r.Inputs, hook)
}

// ProcessOutputs replaces the run's outputs, as ProcessInputs does the inputs.
func (r *Run) ProcessOutputs(hook Hook) error {
	return process(message.Outputs, &r.Outputs, hook)
}

// HookError says that the original was kept because its hook failed.
type HookError struct {
	Side message.Side
	Err  error
}

// Error names the half of the run.
func (e *HookError) Error() string {
	return fmt.Sprintf("processing %s: %s; the original %s are kept", e.Side, e.Err, e.Side)
}

// Unwrap is the error of the hook itself, when that is what failed.
func (e *HookError) Unwrap() error { return e.Err }

func process(side message.Side, values *json.RawMessage, hook Hook) error {
	if *values == nil || hook == nil {
		return nil
	}
	// A hook may work in place.
	processed, err := call(hook, bytes.Clone(*values))
	switch {
	case err != nil:
	case !json.Valid(processed) || !utf8.Valid(processed):
		err = fmt.Errorf("the hook returned %q, which is not JSON; return a JSON object", rawjson.Show(processed))
	case !rawjson.IsObject(processed):
		err = fmt.Errorf("the hook returned %s, which is not an object; return a JSON object", rawjson.Show(processed))
	default:
		*values = processed
		return nil
	}
	return &HookError{Side: side, Err: err}
}

// call makes an error of a panic.
func call(hook Hook, values json.RawMessage) (processed json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
	}()
	return hook(values)
}

// panicError keeps the error that something panicked with.
func panicError(p any) error {
	if err, ok := p.(error); ok {
		return fmt.Errorf("the hook panicked: %w", err)
	}
	return fmt.Errorf("the hook panicked: %v", p)
}
