package llmrun_test

import (
	"fmt"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

func TestInterrupted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false,
		"GraphInterrupt((Interrupt(value='ok?', resumable=True, ns=['a:1']),))":                                                          true,
		"GraphInterrupt(())\n\nTraceback (most recent call last):\n  File \"a.py\", line 1, in b\n\nlanggraph.errors.GraphInterrupt: ()": true,
		"GraphInterrupt: [{\"value\": \"ok?\"}]\n    at interrupt (file:///a.js:1:2)":                                                    true,
		"[\n  {\n    \"value\": \"ok?\"\n  }\n]\n\nGraphInterrupt: [\n  {\n    \"value\": \"ok?\"\n  }\n]\n    at interrupt (a.js:1:2)":  true,
		"ParentCommand(Command(goto='a', graph='b'))":                                                                                    false,
		"ValueError('no GraphInterrupt')": false,
		"KeyError('a')\n\nTraceback (most recent call last):\nlanggraph.errors.GraphInterrupt: ()\n\nDuring handling of the above exception, another exception occurred:\nKeyError: 'a'": false,
		"Reached the limit\n\nError: GraphInterrupt: []\n    at a.js:1:2": false,
	} {
		assert.Same(t, fmt.Sprintf("Interrupted(%q)", text), want, llmrun.Interrupted(text))
	}
}
