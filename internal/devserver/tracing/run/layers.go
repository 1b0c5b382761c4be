package run

import (
	"encoding/json"
	"errors"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// layers contain the posts and the patches of a run. Patches take precedence over posts, whichever arrived first.
type layers struct{ post, patch ingest.Fields }

func readLayers(body store.RunBody) (layers, error) {
	var said layers
	for _, layer := range []struct {
		from []byte
		to   *ingest.Fields
	}{{body.Post, &said.post}, {body.Patch, &said.patch}} {
		fields, is := ingest.ReadFields(layer.from)
		if !is {
			return said, errors.New("the stored body of a run is not a JSON object")
		}
		*layer.to = fields
	}
	return said, nil
}

func (s layers) body() store.RunBody {
	return store.RunBody{Post: rawjson.EncodeMembers(s.post), Patch: rawjson.EncodeMembers(s.patch)}
}

// with returns the layers with a change.
func (s layers) with(c *change) layers {
	if c == nil {
		return s
	}
	return layers{ingest.Merge(s.post, c.post), ingest.Merge(s.patch, c.patch)}
}

func (s layers) size() int64 { return rawjson.MembersSize(s.post) + rawjson.MembersSize(s.patch) }

// member returns a member of what was logged.
func (s layers) member(name string) json.RawMessage {
	if value, patched := s.patch[name]; patched {
		return value
	}
	return s.post[name]
}

// together returns everything that was logged, with the ID.
func (s layers) together(id string) ingest.Fields {
	fields := ingest.Merge(s.post, s.patch)
	fields["id"] = json.RawMessage(`"` + id + `"`)
	return fields
}

// Logged returns everything that clients have logged about a run.
func Logged(tx *store.Tx, workspaceID, id string) (map[string]json.RawMessage, error) {
	body, err := tx.RunBody(workspaceID, id)
	if err != nil {
		return nil, err
	}
	said, err := readLayers(body)
	if err != nil {
		return nil, err
	}
	return said.together(id), nil
}
