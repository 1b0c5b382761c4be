package otlp_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
)

// nested is a message with one field.
func nested(number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), content)
}

// TestBounds checks the last body that is within the bounds, and the first that isn't.
func TestBounds(t *testing.T) {
	t.Parallel()
	const resourceSpans, scopeSpans, spans, traceID, attributes, key = 1, 2, 2, 1, 9, 1
	scope := func(content ...[]byte) []byte {
		return nested(resourceSpans, nested(scopeSpans, slices.Concat(content...)))
	}
	span := func(n int) []byte { return bytes.Repeat(nested(spans, nested(traceID, []byte("\x12\x00\x12\x00"))), n) }
	attribute := func(n int) []byte { return nested(spans, bytes.Repeat(nested(attributes, nil), n)) }
	group := func(content []byte) []byte {
		const unknown = 100
		return protowire.AppendTag(append(protowire.AppendTag(nil, unknown, protowire.StartGroupType), content...), unknown, protowire.EndGroupType)
	}
	inJSON := func(n int) []byte {
		return []byte(`{"resourceSpans":[{"resource":{"attributes":[{"key":"a"},{"key":"b"}]},"scopeSpans":[{"spans":[{}` + strings.Repeat(`,{"name":"a"}`, n-1) + `]}]}]}`)
	}
	most := limits.Parts
	for name, tc := range map[string]struct {
		body []byte
		json bool
		want string
	}{
		"nothing":                        {},
		"all spans":                      {body: scope(span(most))},
		"a span more":                    {body: scope(span(most + 1)), want: "more than 10000 spans"},
		"in two scopes":                  {body: slices.Concat(scope(span(most)), scope(span(1))), want: "more than 10000 spans"},
		"all attributes of each":         {body: scope(attribute(limits.RunValues), attribute(limits.RunValues))},
		"an attribute more":              {body: scope(attribute(limits.RunValues + 1)), want: "more than 1000000 attributes of a span"},
		"resources":                      {body: bytes.Repeat(nested(resourceSpans, nil), limits.RunValues+1), want: "more than 1000000 attributes of a span"},
		"after other fields":             {body: slices.Concat([]byte{0x08, 0xff, 0x01, 0x0d, 1, 2, 3, 4, 0x09, 1, 2, 3, 4, 5, 6, 7, 8}, scope(span(most+1))), want: "more than 10000 spans"},
		"after a group":                  {body: slices.Concat(group(nested(key, []byte("\xff\xff\xff"))), scope(span(most+1))), want: "more than 10000 spans"},
		"all spans in JSON":              {body: inJSON(most), json: true},
		"a span more in JSON":            {body: inJSON(most + 1), json: true, want: "more than 10000 spans"},
		"a truncated body in Protobuf":   {body: scope(span(2))[:20]},
		"something else than a Protobuf": {body: []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff{}")},
	} {
		encoding := otlp.Protobuf
		if tc.json {
			encoding = otlp.JSON
		}
		_, err := encoding.DecodedSize(tc.body)
		_, tooMany := errors.AsType[*limits.TooManyError](err)
		if tc.want == "" && err != nil || tc.want != "" && (!tooMany || err.Error() != tc.want) {
			t.Errorf("%s: error = %v, want %q", name, err, tc.want)
		}
	}
}
