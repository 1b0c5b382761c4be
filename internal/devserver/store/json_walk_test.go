package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

func TestMemberOf(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 100_000) + `"]"` + strings.Repeat("]", 100_000)
	body := `{"name":"a", "inputs" : {"b":[1,"{"]},"deep":` + deep + `,"\u006ca\"st":"\ud800","none":null,"name":"b"}`
	for name, want := range map[string]string{
		"name": `"a"`, "inputs": `{"b":[1,"{"]}`, "b": "", "": "", "deep": deep, `la"st`: `"\ud800"`, "none": "null", "nam": "",
	} {
		if got, err := memberOf(t.Context(), []byte(body), name); err != nil || string(got) != want {
			t.Errorf("memberOf(%q) = %.50s, %v; want %.50s", name, got, err, want)
		}
	}
	for _, other := range []string{"", "{", `{"a":`, `{"a"`, "[]", "1", `"a"`} {
		if got, err := memberOf(t.Context(), []byte(other), "b"); got != nil || err != nil {
			t.Errorf("memberOf of %q = %s, %v; want none", other, got, err)
		}
	}
}

// TestDecoded compares the values of strings with those of encoding/json, in pieces of any length.
func TestDecoded(t *testing.T) {
	t.Parallel()
	for _, quoted := range []string{
		`""`, `"a"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e4\u00DF\u0000"`, `"\ud83d\ude00"`, `"\ud83dx"`, `"\ude00\ud83d"`, `"\ud83d\ud83d\ude00"`, `"ä\u00e4😀"`, `"\\u00e4\\"`,
	} {
		var want string
		must(t, json.Unmarshal([]byte(quoted), &want))
		for most := 1; most < 12; most++ {
			var got []byte
			for rest := unquoted([]byte(quoted)); len(rest) > 0; {
				got, rest = appendDecoded(got, rest, most)
			}
			if string(got) != want {
				t.Errorf("the value of %s in pieces of %d bytes = %q, want %q", quoted, most, got, want)
			}
		}
	}
}

func FuzzDecoded(f *testing.F) {
	f.Add(`a\"\u00e4\ud83d\ude00\ud83d`)
	f.Fuzz(func(t *testing.T, encoded string) {
		var want string
		if json.Unmarshal([]byte(`"`+encoded+`"`), &want) != nil || strings.ToValidUTF8(encoded, "") != encoded {
			return
		}
		if got := decoded([]byte(`"`+encoded+`"`), len(encoded)); string(got) != want {
			t.Errorf("the value of %q = %q, want %q", encoded, got, want)
		}
	})
}

// TestEntryWalk checks the paths of entries, as users write them in filters.
func TestEntryWalk(t *testing.T) {
	t.Parallel()
	for document, want := range map[string][]string{
		`{}`: nil, `[]`: nil, `1`: nil, ``: nil, `]`: nil, `{"a":`: nil,
		`{"a": 1, "b c": "t\n", "n": null}`: {"a=1", "b c=t\n", "n"},
		`{"m":[{"role":"user"},2.50],"k":{"e":{}}}`: {
			"m[0].role=user", `m[0]={"role":"user"}`, "m[1]=2.50", `m=[{"role":"user"},2.50]`, "k.e={}", `k={"e":{}}`,
		},
		`[true,[1]]`: {"[0]=true", "[1][0]=1", "[1]=[1]"},
		`{"long":"` + strings.Repeat("x", 100) + `"}`: {"long=" + strings.Repeat("x", 50)},
	} {
		var got []string
		w := entryWalk{jsonWalk: jsonWalk{ctx: t.Context(), document: []byte(document)}, most: 50}
		err := w.each(func(key string, value filter.Value) bool {
			if !value.Null {
				key += "=" + *value.Text
			}
			got = append(got, key)
			return false
		})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("the entries of %s (-want +got): %v\n%s", document, err, diff)
		}
	}
}

// TestEndOfString checks that quotes end strings unless they are escaped.
func TestEndOfString(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{`"a" "`: 3, `"a\"b"c`: 6, `"\\"x"`: 4, `"\\\""`: 6, `"open`: 5, `"\"`: 3, `"`: 1} {
		assert.Same(t, fmt.Sprintf("endOfString(%s)", text), want, endOfString([]byte(text), 0))
	}
	document := `"` + strings.Repeat(`\"`, 1<<20) + `"`
	assert.Same(t, "endOfString of escaped quotes", len(document), endOfString([]byte(document), 0))
}

// FuzzWalk reads arbitrary documents; it must not panic or hang.
func FuzzWalk(f *testing.F) {
	for _, document := range []string{`{"a":"b"}`, `["\`, `"`, `{"a`, `[1,`, `\`, `]`, `{"a":[{"b":1}]]]`, `{1:{2:3}}`, `[,]`, `"\u12`} {
		f.Add([]byte(document), "a")
	}
	f.Fuzz(func(t *testing.T, document []byte, name string) {
		if _, err := memberOf(t.Context(), document, name); err != nil {
			t.Error(err)
		}
		w := entryWalk{jsonWalk: jsonWalk{ctx: t.Context(), document: document}, most: 50}
		must(t, w.each(func(string, filter.Value) bool { return false }))
	})
}
