package functions

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// formatRow is a row of the table of formats: the name, and whether convert_messages can write it.
var formatRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\|[^|]*\\|[^|]*\\| (yes|no) \\|")

// TestFormatsAreDocumented compares the guide's table with the formats that can be read and written.
func TestFormatsAreDocumented(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/message-formats.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, row := range formatRow.FindAllStringSubmatch(string(guide), -1) {
		name, written := row[1], row[2] == "yes"
		documented = append(documented, name)
		if want := slices.Contains(formats, document.Format(name)); written != want {
			t.Errorf("according to the guide, %s can be written: %t, want %t", name, written, want)
		}
	}
	paths, err := filepath.Glob("../../llmrun/message/testdata/*/*puts_*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	read := []string{string(document.FormatUnrecognized)}
	for _, path := range paths {
		read = append(read, filepath.Base(filepath.Dir(path)))
	}
	cases, err := filepath.Glob("../../llmrun/testdata/formats/*.txt")
	if err != nil || len(cases) == 0 {
		t.Fatal(cases, err)
	}
	for _, path := range cases {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\n")
		read = append(read, strings.TrimPrefix(head, "format: "))
	}
	slices.Sort(read)
	slices.Sort(documented)
	if read = slices.Compact(read); !slices.Equal(read, documented) {
		t.Errorf("formats in the guide = %v, want %v", documented, read)
	}
}

// streamRow is a row of the table of stream formats.
var streamRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\|[^|]*\\|$")

// TestStreamFormatsAreDocumented compares the guide's table with the formats of streams.
func TestStreamFormatsAreDocumented(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/message-formats.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []document.Format
	for _, row := range streamRow.FindAllStringSubmatch(string(guide), -1) {
		documented = append(documented, document.Format(row[1]))
	}
	if !slices.Equal(documented, streamFormats) {
		t.Errorf("stream formats in the guide = %v, want %v", documented, streamFormats)
	}
}

// TestReduceStreamFormats reduces a recorded stream of every format by its name, and reads the answer.
func TestReduceStreamFormats(t *testing.T) {
	t.Parallel()
	for _, format := range streamFormats {
		paths, err := filepath.Glob("../../llmrun/message/testdata/reduce/" + string(format) + "_*.json")
		if err != nil || len(paths) == 0 {
			t.Fatal(format, paths, err)
		}
		for _, path := range paths {
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				var recorded struct{ Chunks, Answer json.RawMessage }
				file, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(file, &recorded); err != nil {
					t.Fatal(err)
				}
				got, failed := result(t, "reduce_stream", types.StringValue(string(format)), types.StringValue(string(recorded.Chunks)))
				if failed != nil {
					t.Fatal(failed)
				}
				var text string
				var gotValue, wantValue any
				if err := errors.Join(json.Unmarshal([]byte(got), &text), json.Unmarshal([]byte(text), &gotValue), json.Unmarshal(recorded.Answer, &wantValue)); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(wantValue, gotValue); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
	want := `"telegram" is not a stream format: use one of chat_completions, messages, framework, gemini, converse, responses, ai_sdk, cohere, ollama.`
	if _, failed := result(t, "reduce_stream", types.StringValue("telegram"), types.StringValue("[]")); failed == nil || failed.Text != want {
		t.Errorf("error = %v, want %q", failed, want)
	}
}
