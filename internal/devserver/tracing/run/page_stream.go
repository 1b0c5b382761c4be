package run

import (
	"encoding/json"
	"io"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// pageStream is a page as a sequence of JSON patches to an empty document: one for each item, and one for the cursor.
type pageStream ItemsAnswer

// patchOperation is an operation of a JSON patch.
type patchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// Send implements rest.Content.
func (p pageStream) Send(w io.Writer) error {
	operations := []patchOperation{{"replace", "", map[string]any{"items": []any{}, "next_cursor": nil}}}
	for _, item := range p.Items {
		operations = append(operations, patchOperation{"add", "/items/-", item})
	}
	operations = append(operations, patchOperation{"replace", "/next_cursor", api.NonEmpty(p.NextCursor)})
	for _, operation := range operations {
		text, err := json.Marshal([]patchOperation{operation})
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, "data: "+string(text)+"\n\n"); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "event: end\ndata: {}\n\n")
	return err
}
