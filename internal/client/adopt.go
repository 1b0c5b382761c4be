package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// adoptPauses are the waits before each look for a deployment whose create went unanswered. A gateway gives up earlier
// than the service behind it, so the deployment may come to light a while later.
var adoptPauses = [...]time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}

// adopt settles a create that was sent at the given time and whose reply was lost: cause says how.
//
// A deployment of that name is returned if it is provably the one of this create. If none shows up, the create is not
// sent again: the first one may still be under way, the service promises no idempotency keys, and although names are
// unique, the loser of two concurrent creates leaves us with the same question. Applying again asks a human first.
func (c *Client) adopt(
	ctx context.Context, req api.DeploymentCreateRequest, sent time.Time, cause error,
) (*api.Deployment, error) {
	unknown := &OutcomeUnknownError{Method: http.MethodPost, Path: deploymentsPath, Name: req.Name, Err: cause}
	ctx, cancel := c.outliving(ctx)
	defer cancel()
	for _, wait := range adoptPauses {
		if ctx.Err() == nil && wait > 0 {
			_ = c.cfg.Sleep(ctx, wait) // Its error is the context's, which is looked at next.
		}
		if err := ctx.Err(); err != nil {
			unknown.Reason = "looking for it was stopped"
			unknown.Err = &interruptedError{method: unknown.Method, path: unknown.Path, err: err, last: cause}
			return nil, unknown
		}
		found, seen, err := c.named(ctx, req.Name)
		switch {
		case err != nil:
			unknown.Reason = fmt.Sprintf("looking for it failed: %v", err)
			if !IsTransient(err) && ctx.Err() == nil {
				return nil, unknown
			}
		case len(found) == 0:
			unknown.Reason = "none of that name is there yet"
		default:
			unknown.ID = found[0].ID
			if unknown.Reason = c.doubt(req, sent, found, seen); unknown.Reason != "" {
				return nil, unknown
			}
			return &found[0], nil
		}
	}
	return nil, unknown
}

// named finds the deployments of exactly that name, and the answer that showed the last of them.
func (c *Client) named(ctx context.Context, name string) ([]api.Deployment, answer, error) {
	var found []api.Deployment
	var seen answer
	filter := DeploymentFilter{Name: name}
	for p, err := range c.deploymentPages(ctx, filter) {
		if err != nil {
			return nil, answer{}, err
		}
		for _, d := range p.items {
			if filter.match(d) {
				found, seen = append(found, d), p.answer
			}
		}
	}
	return found, seen, nil
}

// doubt says why what was found may not be the deployment of req; empty when it is.
func (c *Client) doubt(req api.DeploymentCreateRequest, sent time.Time, found []api.Deployment, seen answer) string {
	if len(found) > 1 {
		return fmt.Sprintf("there are %d of that name", len(found))
	}
	d := found[0]
	if reason := createdBefore(d.CreatedAt, sent, seen); reason != "" {
		return reason
	}
	if d.Source != req.Source {
		return fmt.Sprintf("its source is %s", d.Source)
	}
	if path, different := contradiction(req.SourceConfig, d.SourceConfig); different {
		return "its source_config" + path + " is another one"
	}
	if path, different := contradiction(req.SourceRevisionConfig, d.SourceRevisionConfig); different {
		return "its source_revision_config" + path + " is another one"
	}
	if len(d.Secrets) > 0 && !slices.Equal(secretNames(req.Secrets), secretNames(d.Secrets)) {
		return "it has other secrets"
	}
	if !c.claim(d.ID) {
		return "another create of this run made it"
	}
	return ""
}

// createdBefore compares by the service's clock, which the Date of an answer shows in whole seconds, cut off. Within
// that second a deployment counts as new, or no quick create could ever be adopted: whoever made it then made the same
// thing under the same name at the same moment, and if it was this process, claim knows.
func createdBefore(createdAt string, sent time.Time, seen answer) string {
	created, err := time.Parse(time.RFC3339, createdAt)
	if err != nil {
		return fmt.Sprintf("its created_at %q is not a date-time", createdAt)
	}
	date, err := http.ParseTime(seen.header.Get("Date"))
	if err != nil {
		return "the service does not tell its time"
	}
	// The service wrote date no later than the answer arrived here, so at least this was its time when the create left.
	if earliest := date.Add(-seen.received.Sub(sent)); created.Before(earliest) {
		return fmt.Sprintf("it was created at %s, before this request", createdAt)
	}
	return ""
}

func secretNames(secrets []api.Secret) []string {
	names := make([]string, len(secrets))
	for i, s := range secrets {
		names[i] = s.Name
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unechoed are the fields of source_config that installations accept and do not report.
var unechoed = []string{"listener_config", "install_command", "build_command"}

// contradiction compares what was sent with what is reported, as JSON, and says where they differ. Only what was sent
// counts: services add defaults.
func contradiction(sent, reported any) (string, bool) {
	want, got := tree(sent), tree(reported)
	if fields, ok := want.(map[string]any); ok {
		reported, _ := got.(map[string]any)
		for _, name := range unechoed {
			if reported[name] == nil {
				delete(fields, name)
			}
		}
	}
	return difference(want, got)
}

// tree keeps numbers as they were written. Both sides pass through the same structs, so equal numbers are written alike.
func tree(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var out any
	if decoder.Decode(&out) != nil {
		return nil
	}
	return out
}

// difference looks for a part of want that got lacks or has otherwise, and says where. An empty list or object is as
// good as none.
func difference(want, got any) (string, bool) {
	switch w := want.(type) {
	case nil:
		return "", false
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok && (got != nil || len(w) > 0) {
			return "", true
		}
		for _, name := range slices.Sorted(maps.Keys(w)) {
			if path, different := difference(w[name], g[name]); different {
				return "." + name + path, true
			}
		}
		return "", false
	case []any:
		g, ok := got.([]any)
		if !ok && got != nil || len(g) != len(w) {
			return "", true
		}
		for i := range w {
			if path, different := difference(w[i], g[i]); different {
				return fmt.Sprintf("[%d]%s", i, path), true
			}
		}
		return "", false
	default:
		return "", want != got
	}
}
