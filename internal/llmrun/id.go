package llmrun

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Clients write ids with dashes or, where they have a UUID's hex digits at hand, without.
const (
	dashedIDLength = 36
	hexIDLength    = 32
)

// ParseID reads the id of a run or a project: a UUID of any version, with its dashes or without. Its String is the
// canonical form.
func ParseID(s string) (uuid.UUID, error) {
	if len(s) != dashedIDLength && len(s) != hexIDLength {
		return uuid.Nil, notAnID(s)
	}
	id, err := uuid.Parse(s)
	if err != nil {
		return uuid.Nil, notAnID(s)
	}
	return id, nil
}

func notAnID(s string) error {
	return fmt.Errorf("%q is not a UUID: write 32 hexadecimal digits, with dashes (8-4-4-4-12) or without", rawjson.Shorten(s))
}
