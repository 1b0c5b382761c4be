package price

import (
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Endpoints are those of the price map.
func (s *Service) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/model-price-map", Methods: rest.Methods{http.MethodGet: s.list, http.MethodPost: s.create}},
		{Path: "/model-price-map/{price_id}", Methods: rest.Methods{
			http.MethodPut: rest.WithNamed(priceOf, s.update), http.MethodDelete: rest.WithNamed(priceOf, remove),
		}},
	}
}

// list returns a bare array: the entries of the workspace, and then the default ones.
func (s *Service) list(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	window := store.Page{Limit: p.Integer("limit", 100, 1, limits.LongPage), Offset: p.Integer("offset", 0, 0, 0)}
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.ModelPrices(c.WorkspaceID)
	if err != nil {
		return rest.Answer{}, err
	}
	page, total := form.Collect(store.Window(rows, window), answer), len(rows)
	if book := s.DefaultBook(); book != nil {
		defaults := book.Entries()
		window.Offset, window.Limit = max(0, window.Offset-len(rows)), window.Limit-len(page)
		page, total = append(page, form.Collect(store.Window(defaults, window), defaultAnswer)...), total+len(defaults)
	}
	a := rest.OK(page)
	a.Header = http.Header{"X-Pagination-Total": {strconv.Itoa(total)}}
	return a, nil
}

func (s *Service) create(c *rest.Call) (rest.Answer, error) {
	row := store.ModelPrice{ID: uuid.NewString(), WorkspaceID: c.WorkspaceID, CreatedAt: c.Now}
	return s.written(c, row, c.Tx.InsertModelPrice)
}

func (s *Service) update(c *rest.Call, row store.ModelPrice) (rest.Answer, error) {
	return s.written(c, row, c.Tx.UpdateModelPrice)
}

func remove(c *rest.Call, row store.ModelPrice) (rest.Answer, error) {
	return rest.OK(map[string]string{"message": "Model price deleted."}), c.Tx.DeleteModelPrice(c.WorkspaceID, row.ID)
}

// priceOf reads the entry named by the path.
func priceOf(c *rest.Call) (store.ModelPrice, error) {
	return rest.Named(c, "price_id", func(tx *store.Tx, workspaceID, id string) (store.ModelPrice, error) {
		row, err := tx.ModelPrice(workspaceID, id)
		return row, rest.OrMissing(err, "Model price ID %s not found.", id)
	})
}

// written stores an entry as the body says it, and answers with it.
func (s *Service) written(c *rest.Call, row store.ModelPrice, write func(store.ModelPrice) error) (rest.Answer, error) {
	request, err := rest.Ahead(c, func() (api.ModelPriceRequest, error) { return readEntry(c.Body) })
	if err != nil {
		return rest.Answer{}, err
	}
	row, err = s.write(c.Tx, row, request, write)
	return rest.OK(answer(row)), err
}
