package dataset

import (
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// exampleParts are the members of an example that are sent in parts of their own.
var exampleParts = []string{"inputs", "outputs", "metadata"}

// upload is the examples of a form, by ID, in the order of their first parts.
type upload struct {
	ids     []string
	members map[string]map[string]json.RawMessage
}

// readForm reads the examples in a form. A part is named ID for an example, and ID.MEMBER for one of its members. The error is an
// *ingest.Error.
func readForm(contentType string, from io.Reader, share *limits.Share) ([]exampleBody, error) {
	read := upload{members: map[string]map[string]json.RawMessage{}}
	err := ingest.Parts(contentType, from, func(part *multipart.Part) error {
		data, err := ingest.ReadPart(share, ingest.RunBounds, part)
		if err != nil {
			return err
		}
		return read.add(part.FormName(), data)
	})
	if err != nil {
		return nil, err
	}
	all := make([]exampleBody, len(read.ids))
	for i, id := range read.ids {
		text, err := json.Marshal(read.members[id])
		if err == nil {
			all[i], _, err = form.Tolerant[exampleBody](text)
		}
		if err != nil {
			return nil, unprocessable("example %s: %s", id, err)
		}
	}
	return all, nil
}

func (u *upload) add(part string, data []byte) error {
	text, name, _ := strings.Cut(part, ".")
	id, err := ingest.ParseID(text)
	if err != nil || name != "" && !slices.Contains(exampleParts, name) {
		return unprocessable("a part is named %q, expected the ID of an example, alone or with .%s; the dev server doesn't support attachments of "+
			"examples", part, strings.Join(exampleParts, ", ."))
	}
	if u.members[id] == nil {
		u.ids, u.members[id] = append(u.ids, id), map[string]json.RawMessage{}
	}
	members := u.members[id]
	if name != "" {
		members[name] = data
		return nil
	}
	var own map[string]json.RawMessage
	if err := json.Unmarshal(data, &own); err != nil {
		return unprocessable("part %q is not an example: %s", part, err)
	}
	own["id"] = json.RawMessage(`"` + id + `"`)
	for member, value := range own {
		if members[member] == nil { // A part of its own wins, whichever comes first.
			members[member] = value
		}
	}
	return nil
}

func unprocessable(format string, args ...any) *ingest.Error {
	return &ingest.Error{Kind: form.Unprocessable, Problem: fmt.Sprintf(format, args...)}
}
