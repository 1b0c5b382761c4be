package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Lateness is measured with as many deployments as Terraform applies concurrently.
const (
	lateRollout     = 20 * time.Second
	lateDeployments = 10
)

// printLateness measures the delay between a deployed revision and the end of the wait for it.
func printLateness(ctx context.Context, b *bench) error {
	late, err := measureLateness(ctx, b)
	if err != nil {
		return err
	}
	t := table{header: []string{"rollout", "median (s)", "most (s)", "most (% of the rollout)"}}
	most := slices.Max(late)
	t.add(lateRollout.String(), seconds(median(late)), seconds(most), decimals(100*ratio(most, lateRollout), 1))
	b.printf("Lateness of waits: from DEPLOYED until the provider receives that status, for %d deployments\n\n%s\n", lateDeployments, &t)
	return nil
}

func measureLateness(ctx context.Context, b *bench) (late []time.Duration, err error) {
	p, err := newPlane(ctx, lateRollout)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	s := subjects[slices.IndexFunc(subjects, func(s subject) bool { return s.name == ours })]
	cli, err := b.tools.terraform(ctx, s, append(p.environ(), fmt.Sprintf("TF_VAR_amount=%d", lateDeployments)))
	if err != nil {
		return nil, err
	}
	if _, err := cli.run(ctx, "apply", "-auto-approve", "-no-color"); err != nil {
		return nil, err
	}
	return p.lateness(ctx)
}

// lateness returns the time between a revision's deployment and the response that reported it. A wait ends with that
// response, so it is the last one about the revision.
func (p *plane) lateness(ctx context.Context) ([]time.Duration, error) {
	var list struct {
		Resources []struct {
			ID       string `json:"id"`
			Revision string `json:"latest_revision_id"`
		} `json:"resources"`
	}
	if err := p.call(ctx, "GET", "/v2/deployments?limit=100", nil, &list); err != nil {
		return nil, err
	}
	var late []time.Duration
	for _, deployment := range list.Resources {
		path := "/v2/deployments/" + deployment.ID + "/revisions/" + deployment.Revision
		var revision struct {
			Status    string    `json:"status"`
			UpdatedAt time.Time `json:"updated_at"`
		}
		if err := p.call(ctx, "GET", path, nil, &revision); err != nil {
			return nil, err
		}
		at := p.answeredAt(path)
		if revision.Status != "DEPLOYED" || at.Before(revision.UpdatedAt) {
			return nil, fmt.Errorf("revision %s is %s since %s, but its last answer left at %s", deployment.Revision, revision.Status, revision.UpdatedAt, at)
		}
		late = append(late, at.Sub(revision.UpdatedAt))
	}
	if len(late) == 0 {
		return nil, errors.New("the dev server has no deployments")
	}
	return late, nil
}
