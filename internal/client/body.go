package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// maxBody is far above the size of any list of a hundred deployments.
const maxBody = 64 << 20

// readBody reads the whole body, so that the connection can be reused.
func readBody(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		return nil, errTooLong
	}
	return body, err
}

// decode decodes JSON. A truncated body, which a proxy can cause without breaking HTTP, has an error of its own.
func decode(body []byte, out any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	err := decoder.Decode(out)
	switch {
	case err == nil && !utf8.Valid(body): // Invalid bytes would be replaced with other characters.
		return errors.New("the response is not UTF-8")
	case err == nil && len(bytes.TrimSpace(body[decoder.InputOffset():])) > 0: // Such as a late error.
		return errors.New("the response is not the expected JSON: something follows it")
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errBrokenOff
	case errors.Is(err, io.EOF):
		return errors.New("the response is empty")
	default:
		return unexpected(err)
	}
}

var stringOrFraction = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?\d+\.\d+(?:[eE][+-]?\d+)?`)

// withIntegers returns JSON in which whole numbers have no fraction: some services answer 2.0 for the integer 2.
func withIntegers(body []byte) []byte {
	return stringOrFraction.ReplaceAllFunc(body, func(token []byte) []byte {
		whole, fraction, _ := bytes.Cut(token, []byte("."))
		if token[0] == '"' || len(bytes.Trim(fraction, "0")) > 0 {
			return token
		}
		return whole
	})
}

// unexpected returns the error of JSON with another structure. It names types of JSON, not of Go.
func unexpected(err error) error {
	other, typed := errors.AsType[*json.UnmarshalTypeError](err)
	if !typed {
		return fmt.Errorf("the response is not the expected JSON: %w", err)
	}
	is, number, _ := strings.Cut(other.Value, " ")
	is, want := withArticle(is), withArticle(typeInJSON(other.Type))
	if is == want && number != "" {
		is, want = number, "a whole number"
	}
	return fmt.Errorf("the response is not the expected JSON: %s is %s, not %s", cmp.Or(other.Field, "it"), is, want)
}

func withArticle(noun string) string {
	if noun == "object" || noun == "array" {
		return "an " + noun
	}
	return "a " + noun
}

// typeInJSON returns the type in JSON that a type of Go is read from.
func typeInJSON(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeInJSON(t.Elem())
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.String, reflect.Bool:
		return t.Kind().String()
	default:
		return "number"
	}
}

var (
	errBrokenOff = errors.New("the response broke off")
	errTooLong   = fmt.Errorf("the response is longer than %d MiB", maxBody>>20)
)

// maxErrorBody is far above the size of any error, and small enough to search every part of it for secrets.
const maxErrorBody = 256 << 10

// errorBody reads {"detail": "…"} and {"detail": [{loc, msg, type}]}, and quotes anything else. explained reports whether the body is one
// of the two.
func errorBody(body []byte, hide func(string) string) (detail string, problems []api.ValidationError, explained bool) {
	var envelope struct {
		Detail json.RawMessage `json:"detail"`
		// Used by gateways.
		Message string `json:"message"`
		Error   string `json:"error"`
	}
	whole := func() string { return mask.Snippet(hide(mask.OneLine(string(body[:min(len(body), mask.Longest)])))) }
	if len(body) > maxErrorBody || json.Unmarshal(body, &envelope) != nil {
		return whole(), nil, false
	}
	var text string
	if json.Unmarshal(envelope.Detail, &text) == nil && text != "" {
		return hide(mask.OneLine(text)), nil, true
	}
	var entries []json.RawMessage
	if json.Unmarshal(envelope.Detail, &entries) == nil && len(entries) > 0 {
		problems := make([]api.ValidationError, len(entries))
		for i, entry := range entries {
			problems[i] = validationError(entry, hide)
		}
		return "", problems, true
	}
	if text := cmp.Or(envelope.Message, envelope.Error); text != "" {
		return hide(mask.OneLine(text)), nil, false
	}
	return whole(), nil, false
}

// validationError ignores input and ctx, in which newer services echo the refused value.
func validationError(entry json.RawMessage, hide func(string) string) api.ValidationError {
	var parsed struct {
		Loc  []json.RawMessage `json:"loc"`
		Msg  string            `json:"msg"`
		Type string            `json:"type"`
	}
	if json.Unmarshal(entry, &parsed) != nil || parsed.Msg == "" {
		return api.ValidationError{Msg: mask.Snippet(hide(mask.OneLine(string(entry))))}
	}
	problem := api.ValidationError{Msg: hide(mask.OneLine(parsed.Msg)), Type: hide(mask.OneLine(parsed.Type))}
	for _, raw := range parsed.Loc {
		var step api.LocStep
		if string(raw) == "null" || json.Unmarshal(raw, &step) != nil {
			step = api.Key(string(raw)) // true, 1.5 or null: not an index, but readable.
		}
		step.Key = hide(mask.OneLine(step.Key))
		problem.Loc = append(problem.Loc, step)
	}
	return problem
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// pageTitle returns the title of an HTML page; its body is markup and scripts.
func pageTitle(page []byte) string {
	if found := title.FindSubmatch(page); found != nil {
		return html.UnescapeString(string(found[1]))
	}
	return ""
}
