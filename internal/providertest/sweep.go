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
	// sweepPage is how many of a collection are asked for at once; the service gives no more.
	sweepPage = 100
	// sweepInterval and sweepLooks bound how long a deletion is waited for, which the service carries out later.
	sweepInterval = 5 * time.Second
	sweepLooks    = 360
)

// Sweeper removes from a control plane what a run of the suite has left there: everything whose name begins with Prefix.
type Sweeper struct {
	Account *Account
	// Sleep waits for what the control plane does meanwhile.
	Sleep func(context.Context, time.Duration) error
}

// Deployments removes deployments and their tracing projects, and waits until they are gone: until then, their listener
// can't go.
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

// Listeners removes listeners.
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

// OAuthProviders removes OAuth providers.
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

// find returns the ids of those of a collection whose name begins with Prefix. It counts for itself: what a last page says of the
// next one is documented nowhere.
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

// remove deletes what may be gone already.
func (s Sweeper) remove(ctx context.Context, path string) error {
	err := s.Account.Call(ctx, http.MethodDelete, path, nil, nil)
	if isNotFound(err) {
		return nil
	}
	return err
}

// gone waits until there is nothing at path any more.
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
