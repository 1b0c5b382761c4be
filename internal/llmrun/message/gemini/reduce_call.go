package gemini

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// call is a call whose arguments are streamed.
type call struct {
	// part has the call under key.
	part *chunk.Partial
	key  string
	// open says whether a further piece follows.
	open bool
}

// functionCall returns the call in a part, and the spelling of its member.
func functionCall(part rawjson.Object) (string, rawjson.Object) {
	key, value := part.Find("function_call")
	if call, ok := rawjson.ReadObject(value); ok {
		return key, call
	}
	return "", nil
}

// goesOn says whether a further piece of a call follows.
func goesOn(call rawjson.Object) bool {
	_, more := call.Find("will_continue")
	return string(more) == "true"
}

// isStreamed says whether a call arrives in pieces.
func isStreamed(call rawjson.Object) bool {
	_, pieces := call.Find("partial_args")
	return goesOn(call) || rawjson.IsArray(pieces)
}

// add adds a piece. Without streaming, a call doesn't say whether it goes on.
func (c *call) add(part, piece rawjson.Object) {
	c.part.Add(part, c.key)
	c.open = goesOn(piece)
	own := c.part.Object(c.key)
	for _, m := range piece {
		list, isList := rawjson.ReadArray(m.Value)
		switch {
		case m.Key == "willContinue", m.Key == "will_continue":
		case isList && (m.Key == "partialArgs" || m.Key == "partial_args"):
			for _, raw := range list {
				if !addArgument(own, raw) {
					own.Extend(m.Key, raw)
				}
			}
		default:
			own.Grow(m.Key, m.Value)
		}
	}
}

// maxPath is the number of steps in a path up to which it is followed.
const maxPath = 100

// stepPattern matches a step of a path such as $.items[0]['name'].
var stepPattern = regexp.MustCompile(`^(?:\.([^.\[]+)|\[(\d+)\]|\['(.*?)'\]|\["(.*?)"\])`)

// addArgument adds a piece of an argument, and says whether it has a place.
func addArgument(own *chunk.Partial, raw json.RawMessage) bool {
	o, _ := rawjson.ReadObject(raw)
	_, raw = o.Find("json_path")
	path, _ := rawjson.ReadString(raw)
	rest, ok := strings.CutPrefix(path, "$")
	place := own.Key("args")
	depth := 0
	for ; ok && place != nil && rest != "" && depth < maxPath; depth++ {
		found := stepPattern.FindStringSubmatch(rest)
		if found == nil {
			return false
		}
		rest = rest[len(found[0]):]
		if i, err := strconv.Atoi(found[2]); err == nil {
			place = place.At(i)
		} else {
			place = place.Key(found[1] + found[3] + found[4])
		}
	}
	value := json.RawMessage(`""`) // The piece that ends a text may have none.
	for _, key := range []string{"null_value", "bool_value", "number_value", "string_value"} {
		switch _, is := o.Find(key); {
		case key == "null_value" && is != nil:
			value = json.RawMessage("null")
		case !rawjson.IsNullOrAbsent(is):
			value = is
		}
	}
	return ok && place != nil && rest == "" && depth > 0 && place.GrowText(value)
}
