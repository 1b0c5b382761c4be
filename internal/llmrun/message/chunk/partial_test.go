package chunk

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

func TestGrow(t *testing.T) {
	t.Parallel()
	const image = `{"type":"image","url":"u"}`
	for name, c := range map[string]struct {
		pieces []string
		want   string
	}{
		"strings":                     {[]string{`"a"`, `"b"`}, `"ab"`},
		"a surrogate pair cut in two": {[]string{`"\ud83d"`, `"\udd0e"`}, `"\ud83d\udd0e"`},
		"nothing":                     {[]string{`null`, `""`, `null`}, `""`},
		"an empty list":               {[]string{`[]`, `null`}, `[]`},
		"nothing, then a text":        {[]string{`null`, `[]`, `"a"`}, `"a"`},
		"lists":                       {[]string{`[1]`, `[2,3]`}, `[1,2,3]`},
		"objects":                     {[]string{`{"a":"x","id":"1"}`, `{"a":"y","b":2,"id":"1"}`}, `{"a":"xy","id":"1","b":2}`},
		"numbers":                     {[]string{`1`, `2`}, `2`},
		"a text, a list, a text":      {[]string{`"a"`, `[` + image + `]`, `" b"`}, `[{"type":"text","text":"a"},` + image + `,{"type":"text","text":" b"}]`},
		"a list, a text":              {[]string{`[` + image + `]`, `"a"`, `"b"`}, `[` + image + `,{"type":"text","text":"ab"}]`},
		"a list, an empty text":       {[]string{`[` + image + `]`, `""`}, `[` + image + `]`},
		"an empty text, a list":       {[]string{`""`, `[` + image + `]`}, `[` + image + `]`},
		"a text, an object":           {[]string{`"a"`, image}, `[{"type":"text","text":"a"},` + image + `]`},
		"an object, a text":           {[]string{image, `"a"`}, `[` + image + `,{"type":"text","text":"a"}]`},
		"a text, a number":            {[]string{`"a"`, `7`, `"b"`}, `[{"type":"text","text":"a"},7,{"type":"text","text":"b"}]`},
		"texts in lists":              {[]string{`[{"type":"text","text":"a"}]`, `[{"type":"text","text":"b"}]`, `"c"`}, `[{"type":"text","text":"abc"}]`},
		"parts without a type":        {[]string{`[{"text":"a"}]`, `[{"text":"b"},{"json":1}]`, `[{"text":"c"}]`}, `[{"text":"ab"},{"json":1},{"text":"c"}]`},
		"a part that ends":            {[]string{`[{"type":"thinking","thinking":"a"}]`, `[{"type":"thinking","thinking":"b","signature":"s"}]`}, `[{"type":"thinking","thinking":"ab","signature":"s"}]`},
		"parts that differ":           {[]string{`[{"type":"text","text":"a","n":1}]`, `[{"type":"text","text":"b","n":2}]`}, `[{"type":"text","text":"a","n":1},{"type":"text","text":"b","n":2}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &Partial{}
			for _, piece := range c.pieces {
				p.Grow("k", json.RawMessage(piece))
			}
			assert.Same(t, fmt.Sprint(c.pieces), c.want, string(p.Get("k")))
		})
	}
}

// TestGrowLosesNothing grows members by values of random kinds: each text is in the result, in the order of arrival.
func TestGrowLosesNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 2))
	for range 2000 {
		p := &Partial{}
		var said, pieces []string
		for i := range 1 + random.IntN(8) {
			mark := fmt.Sprintf("<%d>", i)
			said = append(said, mark)
			piece := fmt.Sprintf([]string{
				`%q`, `[%q]`, `[{"type":"text","text":%q}]`, `{"type":"text","text":%q}`, `{"type":"image","url":%q}`, `[[%q]]`, `[{"text":%q},null,7]`,
			}[random.IntN(7)], mark)
			pieces = append(pieces, piece, []string{`null`, `""`, `[]`, `true`}[random.IntN(4)])
		}
		for _, piece := range pieces {
			p.Grow("k", json.RawMessage(piece))
		}
		got := string(p.Encode())
		if !json.Valid([]byte(got)) {
			t.Fatalf("%v = %s, want JSON", pieces, got)
		}
		for _, mark := range said {
			if strings.Count(got, mark) != 1 {
				t.Fatalf("%v = %s, want %s once", pieces, got, mark)
			}
		}
	}
}

func TestGrowBase64(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(6, 4))
	for range 500 {
		var data []byte
		p := &Partial{}
		for range 1 + random.IntN(5) {
			piece := binary.BigEndian.AppendUint64(nil, random.Uint64())[:random.IntN(7)]
			data = append(data, piece...)
			p.Key("k").GrowData(rawjson.Quote(base64.StdEncoding.EncodeToString(piece)))
		}
		if got, _ := rawjson.ReadString(p.Get("k")); got != base64.StdEncoding.EncodeToString(data) {
			t.Fatalf("got %q, want %q", got, base64.StdEncoding.EncodeToString(data))
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for chunk, want := range map[string]string{
		`{"a":1}`:                                            `{"a":1}`,
		`{"data":{"a":1}}`:                                   `{"a":1}`,
		`{"event":"e","id":"1","data":{"a":1}}`:              `{"a":1}`,
		`{"event":"e","data":"{\"a\":1}"}`:                   `{"a":1}`,
		`{"data":{"a":1},"type":"data"}`:                     `{"data":{"a":1},"type":"data"}`,
		`{"type":"stream_event","event":{"a":1},"uuid":"u"}`: `{"a":1}`,
		`{"type":"raw_response_event","data":{"a":1}}`:       `{"a":1}`,
		`{"type":"stream_event","event":"e"}`:                `{"type":"stream_event","event":"e"}`,
		`{"type":"event","event":{"a":1}}`:                   `{"type":"event","event":{"a":1}}`,
		`{"data":"no"}`:                                      `{"data":"no"}`,
		`{"data":[1]}`:                                       `{"data":[1]}`,
		`[1]`:                                                ``,
		`no`:                                                 ``,
	} {
		o, ok := Open(json.RawMessage(chunk))
		got := ""
		if ok {
			got = string(o.Encode())
		}
		assert.Same(t, fmt.Sprintf("Open(%s)", chunk), want, got)
	}
}

func TestGrowArguments(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{`"{\"a\":1}"`, `{}`, `{"a":1}`}, {`""`, `{"b":1}`, `{"b":1}`}, {``, `{}`, `{}`}, {`""`, ``, `{}`}, {`"{\"a\""`, `{}`, `"{\"a\""`}, {`{"a":1}`, `{}`, `{"a":1}`},
	} {
		p := &Partial{}
		if c[1] != "" {
			p.Set("args", json.RawMessage(c[1]))
		}
		p.Key("args").GrowArguments(json.RawMessage(c[0]))
		assert.Same(t, fmt.Sprintf("%s after %s", c[0], c[1]), c[2], string(p.Get("args")))
	}
}
