package devserver

import (
	"encoding/json"
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// layers are what the posts and the patches of a run have said. The patches lie above the posts, whichever came first.
type layers struct{ post, patch ingest.Fields }

func readLayers(body store.RunBody) (layers, error) {
	var said layers
	for _, layer := range []struct {
		from []byte
		to   *ingest.Fields
	}{{body.Post, &said.post}, {body.Patch, &said.patch}} {
		if err := json.Unmarshal(layer.from, layer.to); err != nil {
			return said, fmt.Errorf("body of a run: %w", err)
		}
	}
	return said, nil
}

func (s layers) body() store.RunBody {
	return store.RunBody{Post: encodeFields(s.post), Patch: encodeFields(s.patch)}
}

// together is all that is said, with the id.
func (s layers) together(id string) ingest.Fields {
	fields := ingest.Merge(s.post, s.patch)
	fields["id"] = json.RawMessage(`"` + id + `"`)
	return fields
}

// encodeFields puts fields together without looking at their values again, which are JSON and can be large.
func encodeFields(fields ingest.Fields) []byte {
	size := len("{}")
	for key, value := range fields {
		size += len(key) + len(value) + len(`"":,`)
	}
	object := append(make([]byte, 0, size), '{')
	for i, key := range sortedKeys(fields) {
		if i > 0 {
			object = append(object, ',')
		}
		quoted, _ := json.Marshal(key) // A text can always be encoded.
		object = append(append(append(object, quoted...), ':'), fields[key]...)
	}
	return append(object, '}')
}
