package llmrun

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Clients write IDs with dashes or, where they have only the hexadecimal digits, without.
const (
	dashedIDLength = 36
	hexIDLength    = 32
)

// ParseID reads the ID of a run or a project: a UUID of any version, with or without dashes. Its String method returns the
// canonical form.
func ParseID(s string) (uuid.UUID, error) {
	id, err := uuid.Parse(s)
	if err != nil || len(s) != dashedIDLength && len(s) != hexIDLength {
		return uuid.Nil, fmt.Errorf("%q is not a UUID: write 32 hexadecimal digits, with dashes (8-4-4-4-12) or without", rawjson.Shorten(s))
	}
	return id, nil
}
