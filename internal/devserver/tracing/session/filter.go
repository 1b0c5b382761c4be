package session

import (
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// filtered is a project as filters see it.
type filtered struct{ row store.Project }

// Value implements filter.Subject.
func (f filtered) Value(field filter.Field) filter.Value {
	switch field {
	case filter.ID:
		return filter.Value{Text: &f.row.ID}
	case filter.Name:
		return filter.Value{Text: &f.row.Name}
	case filter.StartTime:
		return filter.Value{Time: &f.row.StartTime}
	default: // The parser accepts no other.
		return filter.Value{Null: true}
	}
}

// Entries implements filter.Subject: projects have metadata.
func (f filtered) Entries(filter.Field) []filter.Entry {
	var extra struct{ Metadata map[string]any }
	if f.row.Extra != nil {
		_ = json.Unmarshal([]byte(*f.row.Extra), &extra) // It may be of another form.
	}
	var all []filter.Entry
	for key, value := range extra.Metadata {
		text, is := value.(string)
		if !is {
			encoded, _ := json.Marshal(value) // It was decoded.
			text = string(encoded)
		}
		all = append(all, filter.Entry{filter.MetadataKey: {Text: &key}, filter.MetadataValue: {Text: &text}})
	}
	return all
}

// Says implements filter.Subject: the only text of a project is its name.
func (f filtered) Says(text string) bool {
	return strings.Contains(strings.ToLower(f.row.Name), strings.ToLower(text))
}
