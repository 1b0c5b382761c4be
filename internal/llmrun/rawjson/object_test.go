package rawjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

func TestReadObject(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       Object
	}{
		{"empty", `{}`, Object{}},
		{"empty with spaces", " {\n\t} ", Object{}},
		{"every kind of value", `{"a":1,"b":"x","c":[1,{"d":2}],"e":{"f":[]},"g":true,"h":null}`, Object{
			{"a", json.RawMessage(`1`)}, {"b", json.RawMessage(`"x"`)}, {"c", json.RawMessage(`[1,{"d":2}]`)},
			{"e", json.RawMessage(`{"f":[]}`)}, {"g", json.RawMessage(`true`)}, {"h", json.RawMessage(`null`)},
		}},
		{"spaces everywhere", "{ \"a\" : -1.5e3 ,\r\n\t\"b\" : [ ] }", Of("a", json.RawMessage(`-1.5e3`)).With("b", json.RawMessage(`[ ]`))},
		{"brackets and quotes in strings", `{"a":"}]\"{[\\","b":"\\"}`, Of("a", json.RawMessage(`"}]\"{[\\"`)).With("b", json.RawMessage(`"\\"`))},
		{"escapes in keys", `{"r\u006fle":"x","\"":1,"ü\n":2}`, Of("role", json.RawMessage(`"x"`)).With(`"`, json.RawMessage(`1`)).With("ü\n", json.RawMessage(`2`))},
		{"a repeated key", `{"a":1,"a":2}`, Of("a", json.RawMessage(`1`)).With("a", json.RawMessage(`2`))},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := ReadObject([]byte(c.text))
			if !ok {
				t.Fatal("ReadObject doesn't recognize the object")
			}
			assert.Same(t, "members", c.want, got, cmp.AllowUnexported(Member{}))
			reused := Of("other", nil).With("members", nil)
			if ok := reused.Reuse([]byte(c.text)); !ok || !cmp.Equal(c.want, reused) {
				t.Errorf("Reuse: %v, want %v", reused, c.want)
			}
		})
	}
	reused := Of("a", json.RawMessage(`1`))
	for _, text := range []string{`[]`, `"{}"`, `null`, `1`, ``, ` `} {
		if o, ok := ReadObject([]byte(text)); ok {
			t.Errorf("ReadObject(%q) = %v, want no object", text, o)
		}
		if reused.Reuse([]byte(text)) || len(reused) > 0 {
			t.Errorf("Reuse(%q): %v, want no object", text, reused)
		}
	}
}

func TestReadArray(t *testing.T) {
	t.Parallel()
	got, ok := ReadArray([]byte(" [ 1 ,\"a,]\", [2,[3]],{\"b\":[4]},null , -0.5 ] "))
	if !ok {
		t.Fatal("ReadArray doesn't recognize the array")
	}
	var texts []string
	for _, raw := range got {
		texts = append(texts, string(raw))
	}
	assert.Same(t, "elements", []string{`1`, `"a,]"`, `[2,[3]]`, `{"b":[4]}`, `null`, `-0.5`}, texts)
	for _, text := range []string{`{}`, `"[]"`, ``} {
		if a, ok := ReadArray([]byte(text)); ok {
			t.Errorf("ReadArray(%q) = %v, want no array", text, a)
		}
	}
}

// TestReadInPlace checks that appending to a part doesn't overwrite the text after it.
func TestReadInPlace(t *testing.T) {
	t.Parallel()
	text := []byte(`{"a":[1],"b":2}`)
	o, _ := ReadObject(text)
	_ = append(o.Get("a"), "xxxx"...)
	if string(text) != `{"a":[1],"b":2}` {
		t.Errorf("appending to a part changed the text to %s", text)
	}
}

// TestBorrow reads many objects side by side: none may have the members of another.
func TestBorrow(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 200 {
				o := Borrow()
				if len(*o) > 0 {
					t.Errorf("a borrowed object has the members %v, want none", *o)
				}
				o.Reuse(fmt.Appendf(nil, `{"i":%d,"j":%d}`, i, j))
				if at, ok := o.Index("i"); !ok || at != i || len(*o) != 2 {
					t.Errorf("the members are %v, want i = %d and j = %d", *o, i, j)
				}
				o.Return()
			}
		})
	}
	group.Wait()
}

func TestReadString(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`""`: "", `"a"`: "a", `"\u00fc\n\"\\\/"`: "ü\n\"\\/", `"ü"`: "ü", `"\ud83d\ude00"`: "😀", `"\ud83d"`: "\ufffd",
		`"\ud83d\n"`: "\ufffd\n", `"\ude00\ud83d\ude00"`: "\ufffd😀", `"\ud83d\ud83d\ude00"`: "\ufffd😀", `"\b\f\r\t"`: "\b\f\r\t",
	} {
		if got, ok := ReadString([]byte(text)); !ok || got != want {
			t.Errorf("ReadString(%s) = %q, %t; want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{`1`, `null`, `{}`, `[""]`, ``, `"`, `"\"`, `"\x"`, `"\u12"`, `"\u12g0"`, `"\u+123"`} {
		if got, ok := ReadString([]byte(text)); ok {
			t.Errorf("ReadString(%s) = %q, want no string", text, got)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"": `""`, "<a&b>": `"<a&b>"`, "ü\n\"": `"ü\n\""`, "\u2028": `"\u2028"`} {
		assert.Same(t, fmt.Sprintf("Quote(%q)", s), want, string(Quote(s)))
	}
}

func TestIsVoid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`null`: true, ` {} `: true, `[ ]`: true, `{"a":1}`: false, `[null]`: false, `0`: false, `""`: false, `false`: false,
	} {
		assert.Same(t, fmt.Sprintf("IsVoid(%s)", text), want, IsVoid([]byte(text)))
	}
}

func TestObjectEncode(t *testing.T) {
	t.Parallel()
	text := "x"
	got := Of("z", json.RawMessage(`[1, 2]`)).WithText("t", &text).WithText("absent", nil).WithRaw("absent", nil).
		WithAll(map[string]json.RawMessage{"b": json.RawMessage(`0.10`), "a": json.RawMessage(`"\u0041"`)}).Encode()
	if want := `{"z":[1, 2],"t":"x","a":"\u0041","b":0.10}`; string(got) != want {
		t.Errorf("encoded = %s, want %s", got, want)
	}
}

// FuzzScan compares the values read in place with those that encoding/json decodes.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"\u00e9\""}]}]}`,
		`[{},[],null,true,false,0,-1.5e3,""]`,
	} {
		f.Add([]byte(text))
	}
	f.Add([]byte(`"\u00e9 \ud83d\ude00 \ud83d \ude00\ud83d x \b\f\n\r\t\/\\\"é"`))
	f.Add([]byte("\"\xff\xfe\\n\xe2\x82\""))
	f.Add([]byte(`{"a" : [ ] , "b":{"c":-1.5E+3},"d":"\\\"}"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		o, ok := ReadObject(data)
		if want := bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")); ok != want {
			t.Fatalf("recognized as an object: %t, want %t", ok, want)
		}
		if ok {
			var want map[string]json.RawMessage
			assert.Must(t, json.Unmarshal(data, &want))
			got := map[string]json.RawMessage{}
			for _, m := range o {
				got[m.Key] = m.Value
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("members (-want +got):\n%s", diff)
			}
		}
		if text, ok := ReadString(data); ok {
			var want string
			if err := json.Unmarshal(data, &want); err != nil || text != want {
				t.Fatalf("ReadString = %q, want %q: %v", text, want, err)
			}
		}
		if a, ok := ReadArray(data); ok {
			var want []json.RawMessage
			assert.Must(t, json.Unmarshal(data, &want))
			if diff := cmp.Diff(want, a); diff != "" {
				t.Fatalf("elements (-want +got):\n%s", diff)
			}
		}
	})
}

// TestFind prefers the snake case of a name to its camel case.
func TestFind(t *testing.T) {
	t.Parallel()
	o, _ := ReadObject([]byte(`{"toolCallId":1,"tool_name":2,"toolName":3,"toolcall":4,"id":5,"a_b":null,"aB":6,"c_d":null}`))
	for name, want := range map[string]string{
		"tool_call_id": "toolCallId 1", "tool_name": "tool_name 2", "tool_call": "tool_call ", "id": "id 5", "tool_call_ids": "tool_call_ids ", "tool": "tool ",
		"a_b": "aB 6", "c_d": "c_d null", "_": "_ ",
	} {
		if key, value := o.Find(name); key+" "+string(value) != want {
			t.Errorf("Find(%q) = %s %s, want %s", name, key, value, want)
		}
	}
}
