package dataset

import (
	"cmp"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// listExamples returns a bare array.
func listExamples(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	q := exampleQuery{
		ExampleFilter: store.ExampleFilter{
			WorkspaceID: c.WorkspaceID, DatasetID: api.OrEmpty(p.ID("dataset")), IDs: p.UUIDs("id", p.Values("id")),
		},
		splits: p.Values("splits"), metadata: p.JSONObject("metadata"),
	}
	page := store.Page{Limit: p.Integer("limit", limits.Page, 1, limits.Page), Offset: p.Integer("offset", 0, 0, 0)}
	asOf := p.Text("as_of")
	p.OneOf("order", []string{"recent"})
	p.Unsupported("filter", "full_text_contains", "random_seed", "descending")
	fields := p.Values("select")
	p.Ignore("exclude_default_fields", "inline_s3_urls") // All fields are in the answer alone.
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	if q.DatasetID != "" {
		row, err := Read(c.Tx, c.WorkspaceID, q.DatasetID)
		if err == nil {
			err = checkVersion(p, row, asOf)
		}
		if err != nil {
			return rest.Answer{}, err
		}
	}
	rows, err := q.read(c.Tx, page)
	all := form.Collect(rows, exampleAnswer)
	for _, one := range all {
		maps.DeleteFunc(one, func(name string, _ any) bool { return fields != nil && name != "id" && !slices.Contains(fields, name) })
	}
	return rest.OK(all), err
}

// createExample uses the ID that clients send. Sent again, an example replaces the one with its ID.
func (s *Service) createExample(c *rest.Call, request exampleBody) (rest.Answer, error) {
	row, err := request.newRow(c.WorkspaceID, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.storeExample(c, request, row)
}

func (s *Service) patchExample(c *rest.Call, row store.Example) (rest.Answer, error) {
	request, err := rest.DecodeTolerant[exampleBody](c)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.storeExample(c, request, row)
}

// storeExample stores a changed example, and returns it.
func (s *Service) storeExample(c *rest.Call, request exampleBody, row store.Example) (rest.Answer, error) {
	if err := request.apply(&row, c.Now); err != nil {
		return rest.Answer{}, err
	}
	if row.DatasetID == "" {
		return rest.Answer{}, form.Problem(form.Body("dataset_id"), "missing", "Field required")
	}
	return rest.OK(exampleAnswer(row)), s.save(c.Tx, c.WorkspaceID, row.DatasetID, []store.Example{row}, c.Now)
}

// namedExample reads the example named by the path, in the dataset and the version that parameters name.
func namedExample(c *rest.Call) (store.Example, error) {
	p := c.Params()
	dataset, asOf := p.ID("dataset"), p.Text("as_of")
	row, err := rest.Named(c, "example_id", ReadExample)
	if err != nil {
		return row, err
	}
	if dataset != nil && *dataset != row.DatasetID {
		return row, cmp.Or(p.Err(), error(form.Missing("Example '%s' not found in dataset '%s'.", row.ID, *dataset)))
	}
	in, err := Read(c.Tx, c.WorkspaceID, row.DatasetID)
	return row, cmp.Or(err, checkVersion(p, in, asOf))
}

func getExample(_ *rest.Call, row store.Example) (rest.Answer, error) {
	return rest.OK(exampleAnswer(row)), nil
}

func removeExample(c *rest.Call, row store.Example) (rest.Answer, error) {
	return rest.OK(map[string]string{"message": "Example deleted"}), c.Tx.DeleteExamples(c.WorkspaceID, []string{row.ID}, c.Now)
}

func removeExamples(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	ids := p.RepeatedIDs("example_ids", limits.ListedIDs)
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(map[string]string{"message": "Examples deleted"}), c.Tx.DeleteExamples(c.WorkspaceID, ids, c.Now)
}
