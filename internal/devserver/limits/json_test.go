package limits_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// TestJSON checks the last text that is within the bounds, and the first that isn't, however it arrives.
func TestJSON(t *testing.T) {
	t.Parallel()
	bounds := limits.JSON{Depth: 4, Values: 5, Items: "posts", Level: 2, Most: 3, Fields: 2, Members: 4}
	values, members := "more than 5 JSON values", "more than 4 members of JSON objects"
	deep, posts := "nested more than 4 deep", "more than 3 posts"
	for text, want := range map[string]string{
		``: "", `1`: "", `[]`: "", `{}`: "", "\t[ ]\n": "",
		`[1,2,3,4,5]`:                                  "",
		`[1,2,3,4,5,6]`:                                values,
		`[[],[],[],[],[]]`:                             "",
		`[[],[],[],[],[],[]]`:                          values,
		`{"a":1,"b":2,"c":3,"d":4}`:                    "",
		`{"a":1,"a":1,"a":1,"a":1,"a":1,"a":1}`:        members,
		`{"a":{"b":{"c":{"d":1}}}}`:                    "",
		`{"a":{"b":{"c":{"d":[]}}}}`:                   deep,
		`{"a":{"b":1},"c":{"d":1}}`:                    "",
		`{"a":{"b":1},"c":{"d":1,"e":2,"f":3}}`:        members,
		`{"post":[1,2,3]}`:                             "",
		`{"post":[1,2,3,4]}`:                           posts,
		`{"post":[1,2],"patch":[1,2]}`:                 posts,
		`{"post":[{"a":[1,2,3]},{"a":[1,2,3,4]}]}`:     "", // Each has its own values.
		`{"post":[{"a":[1,2,3,4]},{"a":[1,2,3,4,5]}]}`: values,
		`{"post":[{"a":1,"b":{"c":1}},{"a":1,"b":1}]}`: "",
		`{"post":[{"a":1,"b":1,"c":1}]}`:               "more than 2 fields",
		`["a,b,c,d,e,f,g","[[[[[[[","\",,,,,,\\"]`:     "",
		`["\\",1,2,3,4,5]`:                             values,
		`[1,2,3,4,5,`:                                  values, // Not what follows decides.
	} {
		for how, reader := range map[string]io.Reader{"at once": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text))} {
			read, err := io.ReadAll(bounds.Reader(reader))
			tooMany, _ := errors.AsType[*limits.TooManyError](err)
			tooDeep, _ := errors.AsType[*limits.TooDeepError](err)
			switch {
			case want == "" && (err != nil || string(read) != text):
				t.Errorf("%s, %s: read %q, %v", text, how, read, err)
			case want != "" && (err == nil || err.Error() != want || tooMany == nil && tooDeep == nil):
				t.Errorf("%s, %s: error = %v, want %s", text, how, err, want)
			}
		}
	}
}
