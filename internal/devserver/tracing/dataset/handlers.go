package dataset

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// named reads the dataset named by the path.
func named(c *rest.Call) (store.Dataset, error) {
	return rest.Named(c, "dataset_id", Read)
}

// list returns a bare array; if no dataset has the name, it is empty, not a 404.
func list(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	f := store.DatasetFilter{Name: p.Text("name"), NameContains: p.Text("name_contains"), IDs: p.UUIDs("id", p.Values("id"))}
	types, metadata := p.Values("data_type"), p.JSONObject("metadata")
	page := store.Page{Limit: p.Integer("limit", limits.Page, 1, limits.Page), Offset: p.Integer("offset", 0, 0, 0)}
	p.Unsupported("sort_by", "sort_by_desc", "tag_value_id")
	excluded := p.Values("exclude")
	p.Ignore("exclude_corrections_datasets") // There are none.
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.Datasets(c.WorkspaceID, f)
	if err != nil {
		return rest.Answer{}, err
	}
	rows = slices.DeleteFunc(rows, func(row store.Dataset) bool {
		return len(types) > 0 && !slices.Contains(types, row.DataType) || metadata != nil && !form.Contains(row.Settings, map[string]any{"metadata": metadata})
	})
	all := form.Collect(store.Window(rows, page), answer)
	for _, one := range all {
		maps.DeleteFunc(one, func(name string, _ any) bool { return slices.Contains(excluded, name) })
	}
	a := rest.OK(all)
	a.Header = http.Header{"X-Pagination-Total": {strconv.Itoa(len(rows))}}
	return a, nil
}

// create uses the ID that some clients send.
func create(c *rest.Call, request body) (rest.Answer, error) {
	row, err := request.newRow(c.WorkspaceID, c.Now)
	if err == nil {
		err = request.apply(&row)
	}
	if err == nil {
		err = checkName(c, row.Name)
	}
	if err != nil {
		return rest.Answer{}, err
	}
	same, err := c.Tx.Datasets(c.WorkspaceID, store.DatasetFilter{IDs: []string{row.ID}})
	if len(same) > 0 {
		err = form.Conflicting("Dataset with this ID already exists.")
	}
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(answer(row)), c.Tx.InsertDataset(row)
}

// checkName refuses a name that the workspace already has.
func checkName(c *rest.Call, name string) error {
	same, err := c.Tx.Datasets(c.WorkspaceID, store.DatasetFilter{Name: &name})
	if len(same) > 0 {
		return form.Conflicting("Dataset with this name already exists.")
	}
	return err
}

func get(c *rest.Call, row store.Dataset) (rest.Answer, error) {
	c.Params().Ignore("limit") // One client limits each request.
	return rest.OK(answer(row)), nil
}

func patch(c *rest.Call, row store.Dataset) (rest.Answer, error) {
	request, err := rest.DecodeTolerant[body](c)
	if err != nil {
		return rest.Answer{}, err
	}
	before := row.Name
	row.ModifiedAt = c.Now
	if err := request.apply(&row); err != nil {
		return rest.Answer{}, err
	}
	if row.Name != before {
		if err := checkName(c, row.Name); err != nil {
			return rest.Answer{}, err
		}
	}
	return rest.OK(answer(row)), c.Tx.UpdateDataset(row)
}

func remove(c *rest.Call, row store.Dataset) (rest.Answer, error) {
	return rest.OK(map[string]string{"message": "Dataset deleted"}), c.Tx.DeleteDataset(c.WorkspaceID, row.ID)
}

func listVersions(c *rest.Call, row store.Dataset) (rest.Answer, error) {
	p := c.Params()
	page := store.Page{Limit: p.Integer("limit", limits.Page, 1, limits.Page), Offset: p.Integer("offset", 0, 0, 0)}
	p.Unsupported("search")
	p.Ignore("example") // The only version has the newest change of each.
	return rest.OK(store.Window([]map[string]any{version(row)}, page)), p.Err()
}

// getVersion finds the newest version up to a time, or with a tag.
func getVersion(c *rest.Call, row store.Dataset) (rest.Answer, error) {
	p := c.Params()
	at := p.Text("as_of")
	if at == nil {
		at = p.Text("tag")
	}
	return rest.OK(version(row)), checkVersion(p, row, at)
}

// checkVersion refuses a time before the only version of a dataset, and any other tag than the newest one's; nil is the newest version.
func checkVersion(p *rest.Params, row store.Dataset, wanted *string) error {
	if wanted == nil || *wanted == latest {
		return p.Err()
	}
	at, err := form.Time("as_of", wanted)
	if err != nil || at == nil || at.Before(row.ModifiedAt) {
		return form.Missing("Dataset version '%s' not found: this server keeps only the latest version, which is of %s.", *wanted,
			form.DateTime(row.ModifiedAt))
	}
	return p.Err()
}

// putTag accepts the tag of a version, which the reporters of test runners set, and doesn't keep it: there is only one version.
func putTag(c *rest.Call, row store.Dataset) (rest.Answer, error) {
	_, err := rest.DecodeTolerant[struct {
		AsOf string `json:"as_of"`
		Tag  string `json:"tag"`
	}](c)
	return rest.OK(version(row)), err
}
