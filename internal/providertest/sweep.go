package providertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// sweepPage is the page size, which is the maximum of the service.
	sweepPage = 100
	// sweepInterval and sweepLooks limit the wait for a deletion, which the service carries out later.
	sweepInterval = 5 * time.Second
	sweepLooks    = 360
)

// Sweeper deletes what a run of the suite has left in a control plane: everything whose name begins with Prefix.
type Sweeper struct {
	Account *Account
	// Sleep waits while the control plane works.
	Sleep func(context.Context, time.Duration) error
}

// Deployments deletes deployments and their tracing projects, and waits until they are gone: until then, their listeners can't be
// deleted.
func (s Sweeper) Deployments(ctx context.Context) error {
	going, err := s.find(ctx, "/v2/deployments", "name", url.Values{"name_contains": {Prefix}})
	if err != nil {
		return err
	}
	var problems []error
	for _, id := range going {
		if err := s.remove(ctx, "/v2/deployments/"+id+"?delete_tracing_project=true"); err != nil {
			problems = append(problems, err)
			continue
		}
		problems = append(problems, s.gone(ctx, "/v2/deployments/"+id))
	}
	return errors.Join(problems...)
}

// Listeners deletes listeners.
func (s Sweeper) Listeners(ctx context.Context) error {
	going, err := s.find(ctx, "/v2/listeners", "compute_id", url.Values{})
	if err != nil {
		return err
	}
	var problems []error
	for _, id := range going {
		problems = append(problems, s.remove(ctx, "/v2/listeners/"+id))
	}
	return errors.Join(problems...)
}

// OAuthProviders deletes OAuth providers.
func (s Sweeper) OAuthProviders(ctx context.Context) error {
	var providers []struct {
		ProviderID string `json:"provider_id"`
	}
	if err := s.Account.Call(ctx, http.MethodGet, "/v2/auth/providers", nil, &providers); err != nil {
		return err
	}
	var problems []error
	for _, p := range providers {
		if strings.HasPrefix(p.ProviderID, Prefix) {
			problems = append(problems, s.remove(ctx, "/v2/auth/providers/"+url.PathEscape(p.ProviderID)))
		}
	}
	return errors.Join(problems...)
}

// find returns the IDs of the objects of a collection whose names begin with Prefix. It counts by itself, because the offset on the
// last page is not documented.
func (s Sweeper) find(ctx context.Context, path, nameField string, query url.Values) ([]string, error) {
	var ids []string
	for offset := 0; ; offset += sweepPage {
		var page struct {
			Resources []map[string]any `json:"resources"`
		}
		query.Set("limit", strconv.Itoa(sweepPage))
		query.Set("offset", strconv.Itoa(offset))
		if err := s.Account.Call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		for _, resource := range page.Resources {
			id, _ := resource["id"].(string)
			name, _ := resource[nameField].(string)
			if strings.HasPrefix(name, Prefix) && id != "" {
				ids = append(ids, id)
			}
		}
		if len(page.Resources) < sweepPage {
			return ids, nil
		}
	}
}

// remove deletes an object, which may already be gone.
func (s Sweeper) remove(ctx context.Context, path string) error {
	err := s.Account.Call(ctx, http.MethodDelete, path, nil, nil)
	if isNotFound(err) {
		return nil
	}
	return err
}

// gone waits until there is nothing at path.
func (s Sweeper) gone(ctx context.Context, path string) error {
	for range sweepLooks {
		switch err := s.Account.Call(ctx, http.MethodGet, path, nil, nil); {
		case isNotFound(err):
			return nil
		case err != nil:
			return err
		}
		if err := s.Sleep(ctx, sweepInterval); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s was deleted, but is there still after %s: look at it and sweep again", path, sweepLooks*sweepInterval)
}

func isNotFound(err error) bool {
	answer, ok := errors.AsType[*StatusError](err)
	return ok && answer.Status == http.StatusNotFound
}
