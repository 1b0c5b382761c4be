package message

import "github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"

// besideKey is the extra for members that stand around a part, as far as the part has members of the same name.
const besideKey = "beside"

// addBeside adds what stands around a part to its extras. Where a name is taken, the members stay together under a name of
// their own.
func addBeside(extras *Extras, rest Extras) {
	for key := range rest {
		if (*extras)[key] != nil {
			extras.Put(besideKey, rawjson.Object(nil).WithAll(rest).Encode())
			return
		}
	}
	for key, value := range rest {
		extras.Put(key, value)
	}
}
