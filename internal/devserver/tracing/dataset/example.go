package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// exampleBody creates or changes an example. What is absent or null stays as it is.
type exampleBody struct {
	ID          *api.UUID                  `json:"id,omitzero"`
	DatasetID   *api.UUID                  `json:"dataset_id,omitzero"`
	Inputs      map[string]json.RawMessage `json:"inputs,omitzero"`
	Outputs     map[string]json.RawMessage `json:"outputs,omitzero"`
	Metadata    map[string]json.RawMessage `json:"metadata,omitzero"`
	Split       form.OneOrMany[string]     `json:"split,omitzero"`
	SourceRunID *api.UUID                  `json:"source_run_id,omitzero"`
	CreatedAt   *string                    `json:"created_at,omitzero"`
	// Overwrite has no effect here: an example has one version.
	Overwrite *bool `json:"overwrite,omitzero"`
	// These take more from the source run. They aren't supported.
	UseSourceRunIO          *bool    `json:"use_source_run_io,omitzero"`
	UseSourceRunAttachments []string `json:"use_source_run_attachments,omitzero"`
}

// splitKey is the member of the metadata that lists the splits of an example, and baseSplit the one of examples that name none.
const splitKey, baseSplit = "dataset_split", "base"

// newRow returns an example without contents, which apply adds.
func (b exampleBody) newRow(workspaceID string, now time.Time) (store.Example, error) {
	row := store.Example{WorkspaceID: workspaceID, ID: form.NewID(b.ID), Inputs: "{}", Metadata: `{"` + splitKey + `":["` + baseSplit + `"]}`, CreatedAt: now}
	err := form.SetTime("created_at", b.CreatedAt, &row.CreatedAt)
	return row, err
}

// apply changes an example. New metadata keeps the splits unless it has some.
func (b exampleBody) apply(row *store.Example, now time.Time) error {
	if b.UseSourceRunIO != nil && *b.UseSourceRunIO {
		return form.OfFields(form.NotSupported(form.Body("use_source_run_io"), "use_source_run_io"))
	}
	if len(b.UseSourceRunAttachments) > 0 {
		return form.OfFields(form.NotSupported(form.Body("use_source_run_attachments"), "use_source_run_attachments"))
	}
	row.ModifiedAt = now
	if b.SourceRunID != nil {
		row.SourceRunID = (*string)(b.SourceRunID)
	}
	if b.DatasetID != nil {
		row.DatasetID = string(*b.DatasetID)
	}
	metadata, kept := b.Metadata, map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(row.Metadata), &kept); err != nil {
		return err
	}
	if metadata == nil {
		metadata = kept
	} else if _, has := metadata[splitKey]; !has {
		metadata[splitKey] = kept[splitKey]
	}
	if b.Split != nil {
		splits, _ := json.Marshal(b.Split) // Strings can always be encoded.
		metadata[splitKey] = splits
	}
	for _, member := range []struct {
		from map[string]json.RawMessage
		to   *string
	}{{b.Inputs, &row.Inputs}, {metadata, &row.Metadata}} {
		if member.from != nil {
			text, err := json.Marshal(member.from)
			if err != nil {
				return err
			}
			*member.to = string(text)
		}
	}
	if b.Outputs == nil {
		return nil
	}
	text, err := json.Marshal(b.Outputs)
	row.Outputs = new(string(text))
	return err
}

// exampleAnswer returns an example as it appears in responses.
func exampleAnswer(row store.Example) map[string]any {
	all := map[string]any{
		"id": row.ID, "dataset_id": row.DatasetID, "name": "#" + row.ID[:4], "inputs": json.RawMessage(row.Inputs), "outputs": nil,
		"metadata": json.RawMessage(row.Metadata), "source_run_id": row.SourceRunID, "attachment_urls": nil,
		"created_at": form.DateTime(row.CreatedAt), "modified_at": form.DateTime(row.ModifiedAt),
	}
	if row.Outputs != nil {
		all["outputs"] = json.RawMessage(*row.Outputs)
	}
	return all
}

// exampleQuery selects examples. Splits are alternatives; nil metadata is no condition.
type exampleQuery struct {
	store.ExampleFilter
	splits   []string
	metadata any
}

// errPageFull ends the search for the examples of a page.
var errPageFull = errors.New("the page is full")

// read returns a page of examples. Only the store can skip those of earlier pages without reading them; it knows no JSON.
func (q exampleQuery) read(tx *store.Tx, page store.Page) ([]store.Example, error) {
	rows := []store.Example{}
	if q.splits == nil && q.metadata == nil {
		return rows, tx.EachExample(q.ExampleFilter, page, func(row store.Example) error { rows = append(rows, row); return nil })
	}
	skipped := 0
	err := tx.EachExample(q.ExampleFilter, store.Page{Limit: -1}, func(row store.Example) error {
		switch {
		case !q.matches(row):
		case skipped < page.Offset:
			skipped++
		default:
			rows = append(rows, row)
		}
		if len(rows) == page.Limit {
			return errPageFull
		}
		return nil
	})
	if errors.Is(err, errPageFull) {
		err = nil
	}
	return rows, err
}

func (q exampleQuery) matches(row store.Example) bool {
	inSplit := func(split string) bool {
		return form.Contains(row.Metadata, map[string]any{splitKey: []any{split}})
	}
	return (q.splits == nil || slices.ContainsFunc(q.splits, inSplit)) && (q.metadata == nil || form.Contains(row.Metadata, q.metadata))
}

// exampleParts are the members of an example that are sent in parts of their own.
var exampleParts = []string{"inputs", "outputs", "metadata"}

// upload is the examples of a form, by ID, in the order of their first parts.
type upload struct {
	ids     []string
	members map[string]map[string]json.RawMessage
}

// readForm reads the examples in a form. A part is named ID for an example, and ID.MEMBER for one of its members.
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
			all[i], err = form.Decode[exampleBody](text, api.Neutral)
		}
		if err != nil {
			return nil, form.Refuse(form.Unprocessable, "example %s: %s", id, err)
		}
	}
	return all, nil
}

func (u *upload) add(part string, data []byte) error {
	text, name, _ := strings.Cut(part, ".")
	id, err := ingest.ParseID(text)
	if err != nil || name != "" && !slices.Contains(exampleParts, name) {
		return form.Refuse(form.Unprocessable, "a part is named %q, expected the ID of an example, alone or with .%s; the dev server doesn't support attachments of "+
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
	own, is := ingest.ReadFields(data)
	if !is {
		why := cmp.Or(json.Unmarshal(data, &own), errors.New("it is null, or not in UTF-8"))
		return form.Refuse(form.Unprocessable, "part %q is not an example, which is a JSON object: %s", part, why)
	}
	own["id"] = json.RawMessage(`"` + id + `"`)
	for member, value := range own {
		if members[member] == nil { // A part of its own wins, whichever comes first.
			members[member] = value
		}
	}
	return nil
}
