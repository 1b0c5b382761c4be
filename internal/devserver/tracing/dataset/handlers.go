package dataset

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func (s *Service) Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/datasets", Methods: rest.Methods{http.MethodGet: list, http.MethodPost: rest.Decoded(create)}},
		{Path: "/datasets/{dataset_id}", Methods: rest.Methods{http.MethodGet: rest.WithNamed(named, get), http.MethodPatch: rest.Changing(named, patch), http.MethodDelete: rest.WithNamed(named, remove)}},
		{Path: "/datasets/{dataset_id}/version", Methods: rest.Methods{http.MethodGet: rest.WithNamed(named, getVersion)}},
		{Path: "/datasets/{dataset_id}/versions", Methods: rest.Methods{http.MethodGet: rest.WithNamed(named, listVersions)}},
		{Path: "/datasets/{dataset_id}/tags", Object: rest.WithNamed(named, get), Methods: rest.Methods{http.MethodPut: rest.Changing(named, putTag)}},
		{Path: "/examples", Methods: rest.Methods{http.MethodGet: listExamples, http.MethodPost: rest.Decoded(s.createExample), http.MethodDelete: removeExamples}},
		{Path: "/examples/{example_id}", Methods: rest.Methods{
			http.MethodGet: rest.WithNamed(namedExample, getExample), http.MethodPatch: rest.Changing(namedExample, s.storeExample), http.MethodDelete: rest.WithNamed(namedExample, removeExample),
		}},
		{Path: "/platform/datasets/{dataset_id}/examples", Streams: rest.Streams{http.MethodPost: s.upload, http.MethodPatch: s.upload}},
	}
}

// Read reads a dataset.
func Read(tx *store.Tx, workspaceID, id string) (store.Dataset, error) {
	row, err := tx.Dataset(workspaceID, id)
	return row, rest.OrMissing(err, "Dataset not found") // Clients look for these words.
}

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

func patch(c *rest.Call, row store.Dataset, request body) (rest.Answer, error) {
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

// tagRequest gives a version a tag.
type tagRequest struct {
	AsOf string `json:"as_of"`
	Tag  string `json:"tag"`
}

// putTag accepts the tag of a version, which the reporters of test runners set, and doesn't keep it: there is only one version.
func putTag(_ *rest.Call, row store.Dataset, _ tagRequest) (rest.Answer, error) {
	return rest.OK(version(row)), nil
}

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
	return s.storeExample(c, row, request)
}

// storeExample stores a changed example, and returns it.
func (s *Service) storeExample(c *rest.Call, row store.Example, request exampleBody) (rest.Answer, error) {
	if err := request.apply(&row, c.Now); err != nil {
		return rest.Answer{}, err
	}
	if row.DatasetID == "" {
		return rest.Answer{}, form.Problem(form.Body("dataset_id"), "missing", "Field required")
	}
	return rest.OK(exampleAnswer(row)), s.save(c.Tx, c.WorkspaceID, row.DatasetID, []store.Example{row}, c.Now)
}

// ReadExample reads an example.
func ReadExample(tx *store.Tx, workspaceID, id string) (store.Example, error) {
	row, err := tx.Example(workspaceID, id)
	return row, rest.OrMissing(err, "Example %s not found", id) // Clients look for these words.
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

// uploadAnswer lists what was uploaded, and the version of the dataset that has it.
type uploadAnswer struct {
	Count      int      `json:"count"`
	ExampleIDs []string `json:"example_ids"`
	AsOf       string   `json:"as_of"`
}

// upload stores all examples of a form, or none. A POST creates them, and a PATCH changes them, or moves them into the dataset.
func (s *Service) upload(r *http.Request, workspaceID string) (rest.Answer, error) {
	datasetID, err := uuid.Parse(r.PathValue("dataset_id"))
	if err != nil {
		return rest.Answer{}, form.OfFields(form.NotUUID([]api.LocStep{api.Key("path"), api.Key("dataset_id")}, err))
	}
	share := s.memory.Share(workspaceID, limits.Runs)
	defer share.Release()
	body, err := ingest.Body(r.Header.Get("Content-Encoding"), r.Body, limits.Upload)
	if err != nil {
		return rest.Answer{}, err
	}
	defer body.Close()
	requests, err := readForm(r.Header.Get("Content-Type"), body, share)
	if err != nil {
		return rest.Answer{}, err
	}
	answer := uploadAnswer{Count: len(requests), ExampleIDs: make([]string, len(requests))}
	err = s.store.Do(r.Context(), func(tx *store.Tx) error {
		now, rows := s.now(), make([]store.Example, len(requests))
		for i, request := range requests {
			request.DatasetID = new(api.UUID(datasetID.String()))
			answer.ExampleIDs[i] = string(*request.ID)
			var err error
			if r.Method == http.MethodPatch {
				rows[i], err = ReadExample(tx, workspaceID, answer.ExampleIDs[i])
			} else {
				rows[i], err = request.newRow(workspaceID, now)
			}
			if err == nil {
				err = request.apply(&rows[i], now)
			}
			if err != nil {
				return err
			}
		}
		answer.AsOf = form.DateTime(now)
		return s.save(tx, workspaceID, datasetID.String(), rows, now)
	})
	return rest.Answer{Status: http.StatusCreated, Body: answer}, err
}
