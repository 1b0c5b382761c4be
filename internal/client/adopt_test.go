package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// wanted is the create request whose reply the tests lose.
func wanted() api.DeploymentCreateRequest {
	return api.DeploymentCreateRequest{
		Name: "chat", Source: api.SourceExternalContainer,
		SourceConfig: api.SourceConfigRequest{
			CustomURL:      api.Some("https://chat.example.com"),
			ListenerID:     api.Some[api.UUID]("0f0e0d0c-0b0a-4908-8706-050403020100"),
			ListenerConfig: api.Some(api.ListenerConfig{K8sNamespace: new("agents")}),
			BuildCommand:   api.Some("npm run build"),
			ResourceSpec:   api.Some(api.ResourceSpec{CPU: new(api.CPU(2)), Labels: map[string]string{"team": "a"}}),
		},
		SourceRevisionConfig: api.SourceRevisionConfigRequest{ImageURI: api.Some("registry.example.com/chat:1")},
		Secrets:              []api.Secret{{Name: "B", Value: "hunter22"}, {Name: "A", Value: "hunter23"}},
	}
}

// made is the deployment that a service with defaults makes of wanted: it fills in the spec and doesn't return every field.
func made(id string, created time.Time) api.Deployment {
	return api.Deployment{
		Name: "chat", ID: id, Source: api.SourceExternalContainer, Status: api.DeploymentAwaitingDatabase,
		CreatedAt: created.Format(time.RFC3339Nano),
		SourceConfig: api.SourceConfig{
			CustomURL:  new("https://chat.example.com"),
			ListenerID: new("0f0e0d0c-0b0a-4908-8706-050403020100"),
			ResourceSpec: &api.ResourceSpec{
				CPU: new(api.CPU(2)), CPULimit: new(api.CPU(4)), Labels: map[string]string{"team": "a", "added": "b"},
			},
		},
		SourceRevisionConfig: api.SourceRevisionConfig{ImageURI: new("registry.example.com/chat:1")},
		Secrets:              []api.Secret{{Name: "A", Value: "***"}, {Name: "B", Value: "***"}},
	}
}

// plane loses the reply of every create. Its clock is skew ahead of the client's.
type plane struct {
	skew time.Duration
	lose http.HandlerFunc
	// list responds to the lookups; now is the plane's time.
	list func(now time.Time) []api.Deployment
	// noDate omits the Date header.
	noDate bool
}

func (p plane) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		p.lose(w, r)
		return
	}
	now := time.Now().Add(p.skew).UTC()
	w.Header().Set("Date", now.Format(http.TimeFormat))
	if p.noDate {
		w.Header()["Date"] = nil
	}
	answerWith(http.StatusOK, api.List[api.Deployment]{Resources: p.list(now)})(w, r)
}

func TestLostCreateIsAdoptedOnlyWhenProvablyOurs(t *testing.T) {
	t.Parallel()
	type change func(d *api.Deployment, now time.Time)
	created := func(at func(now time.Time) time.Time, layout string) change {
		return func(d *api.Deployment, now time.Time) { d.CreatedAt = at(now).Format(layout) }
	}
	asked := func(now time.Time) time.Time { return now }
	config := func(f func(*api.SourceConfig)) change {
		return func(d *api.Deployment, _ time.Time) { f(&d.SourceConfig) }
	}
	namespace := func(name string) change {
		return config(func(c *api.SourceConfig) { c.ListenerConfig = &api.ListenerConfig{K8sNamespace: &name} })
	}
	tests := map[string]struct {
		change change
		want   string // Part of the reason for refusing to adopt; empty: adopted.
	}{
		"as made":                  {func(*api.Deployment, time.Time) {}, ""},
		"secrets are not reported": {func(d *api.Deployment, _ time.Time) { d.Secrets = nil }, ""},
		"namespace is reported":    {namespace("agents"), ""},
		"created in another zone": {created(func(now time.Time) time.Time {
			return now.In(time.FixedZone("", 7200))
		}, time.RFC3339Nano), ""},

		"created before": {created(func(now time.Time) time.Time {
			return now.Add(-time.Minute)
		}, time.RFC3339), "before this request"},
		"created in no zone": {created(asked, "2006-01-02T15:04:05.999"), "not a date-time"},
		"other source": {
			func(d *api.Deployment, _ time.Time) { d.Source = api.SourceGitHost }, "its source is git_host",
		},
		"other image": {
			func(d *api.Deployment, _ time.Time) { d.SourceRevisionConfig.ImageURI = new("x:2") },
			"source_revision_config.image_uri",
		},
		"image not reported": {
			func(d *api.Deployment, _ time.Time) { d.SourceRevisionConfig.ImageURI = nil },
			"source_revision_config.image_uri",
		},
		"other URL": {
			config(func(c *api.SourceConfig) { c.CustomURL = new("https://x") }), "source_config.custom_url",
		},
		"other namespace": {namespace("other"), "source_config.listener_config.k8s_namespace"},
		"other build command": {
			config(func(c *api.SourceConfig) { c.BuildCommand = new("make") }), "source_config.build_command",
		},
		"other cpu": {
			config(func(c *api.SourceConfig) { c.ResourceSpec.CPU = new(api.CPU(3)) }), "source_config.resource_spec.cpu",
		},
		"no spec": {config(func(c *api.SourceConfig) { c.ResourceSpec = nil }), "source_config.resource_spec"},
		"other label": {
			config(func(c *api.SourceConfig) { c.ResourceSpec.Labels["team"] = "z" }),
			"source_config.resource_spec.labels.team",
		},
		"other secrets":   {func(d *api.Deployment, _ time.Time) { d.Secrets[0].Name = "C" }, "its secrets differ"},
		"one secret less": {func(d *api.Deployment, _ time.Time) { d.Secrets = d.Secrets[:1] }, "its secrets differ"},
	}
	for name, test := range tests {
		for _, skew := range []time.Duration{0, time.Hour, -time.Hour} {
			t.Run(fmt.Sprintf("%s/%s", name, skew), func(t *testing.T) {
				t.Parallel()
				c, s := serve(t, plane{skew: skew, lose: hangUp, list: func(now time.Time) []api.Deployment {
					d := made("d0000001-0000-4000-8000-000000000000", now)
					test.change(&d, now)
					return []api.Deployment{{Name: "chat-two", ID: "d0000000-0000-4000-8000-000000000000"}, d} // The name filter is not exact everywhere.
				}}.ServeHTTP)
				d, _, err := c.CreateDeployment(t.Context(), wanted())
				if diff := cmp.Diff([]string{"POST /v2/deployments", "GET /v2/deployments"}, s.calls()); diff != "" {
					t.Errorf("requests (-want +got):\n%s", diff)
				}
				if test.want == "" {
					if err != nil || d.ID != "d0000001-0000-4000-8000-000000000000" {
						t.Errorf("CreateDeployment = %v, %v; want d0000001-0000-4000-8000-000000000000", d, err)
					}
					return
				}
				unknown, ok := errors.AsType[*OutcomeUnknownError](err)
				if !ok {
					t.Fatalf("CreateDeployment = %v, %v; want an OutcomeUnknownError", d, err)
				}
				if unknown.ID != "d0000001-0000-4000-8000-000000000000" || unknown.Name != "chat" || !strings.Contains(unknown.Reason, test.want) {
					t.Errorf("ID %q, name %q, reason %q; want d0000001-0000-4000-8000-000000000000, chat and a reason with %q", unknown.ID, unknown.Name, unknown.Reason, test.want)
				}
				if _, ok := errors.AsType[*TransportError](err); !ok || !IsAmbiguous(err) || IsTransient(err) {
					t.Errorf("error = %v, want a TransportError that is ambiguous and not transient", err)
				}
				if strings.Contains(err.Error(), "hunter2") {
					t.Errorf("error %q contains a secret", err)
				}
			})
		}
	}
}

func TestLostCreateIsLookedForAgain(t *testing.T) {
	t.Parallel()
	appears := func(at int) func(time.Time) []api.Deployment {
		lookups := 0
		return func(now time.Time) []api.Deployment {
			if lookups++; lookups < at {
				return []api.Deployment{}
			}
			return []api.Deployment{made("d0000001-0000-4000-8000-000000000000", now)}
		}
	}
	seconds := func(waits ...int) []time.Duration {
		var list []time.Duration
		for _, w := range waits {
			list = append(list, time.Duration(w)*time.Second)
		}
		return list
	}
	tests := map[string]struct {
		plane    plane
		want     string // Part of the error; empty: adopted.
		id       string // The error's ID.
		lookups  int
		sleeping []time.Duration
	}{
		"at once":          {plane{lose: answerWith(500, `{"detail":"boom"}`), list: appears(1)}, "", "", 1, nil},
		"a little later":   {plane{lose: answerWith(504, nil), list: appears(3)}, "", "", 3, seconds(1, 2)},
		"at the last look": {plane{lose: breakOff, list: appears(5)}, "", "", 5, seconds(1, 2, 4, 8)},
		"never": {
			plane{lose: answerWith(502, `{"detail":"boom"}`), list: appears(9)},
			`502 Bad Gateway: boom; whether deployment "chat" was created is unknown (nothing with that name exists yet)`,
			"", 5, seconds(1, 2, 4, 8),
		},
		"twice": {
			plane{lose: hangUp, list: func(now time.Time) []api.Deployment {
				return []api.Deployment{made("d0000001-0000-4000-8000-000000000000", now), made("d0000002-0000-4000-8000-000000000000", now)}
			}}, "there are 2 with that name", "d0000001-0000-4000-8000-000000000000", 1, nil,
		},
		"one that is being deleted": {
			plane{lose: hangUp, list: func(now time.Time) []api.Deployment {
				dying := made("d0000001-0000-4000-8000-000000000000", now.Add(-time.Hour))
				dying.Status = api.DeploymentAwaitingDelete
				return []api.Deployment{dying}
			}}, "nothing with that name exists yet", "", 5, seconds(1, 2, 4, 8),
		},
		"by a clock that is not told": {plane{lose: hangUp, list: appears(1), noDate: true}, "doesn't report its creation time", "d0000001-0000-4000-8000-000000000000", 1, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, test.plane.ServeHTTP)
			d, _, err := c.CreateDeployment(t.Context(), wanted())
			switch {
			case test.want == "" && (err != nil || d.ID != "d0000001-0000-4000-8000-000000000000"):
				t.Errorf("CreateDeployment = %v, %v; want d0000001-0000-4000-8000-000000000000", d, err)
			case test.want != "":
				unknown, ok := errors.AsType[*OutcomeUnknownError](err)
				if !ok || unknown.ID != test.id || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error = %v, want an OutcomeUnknownError with the ID %q and %q", err, test.id, test.want)
				}
			}
			calls := s.calls()
			if got := strings.Count(strings.Join(calls, " "), "POST"); got != 1 {
				t.Errorf("the create was sent %d times, want once", got)
			}
			if got := len(calls) - 1; got != test.lookups {
				t.Errorf("looked it up %d times, want %d", got, test.lookups)
			}
			if diff := cmp.Diff(test.sleeping, s.slept()); diff != "" {
				t.Errorf("pauses (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLostCreateOfASlowGateway lets the gateway time out long after the POST was sent: the deployment is as old as the request.
func TestLostCreateOfASlowGateway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		created := make(chan time.Time, 1)
		c, _ := serveInMemory(t, plane{
			lose: func(_ http.ResponseWriter, r *http.Request) {
				created <- time.Now().UTC()
				neverAnswer(nil, r)
			},
			list: func(time.Time) []api.Deployment {
				return []api.Deployment{made("d0000001-0000-4000-8000-000000000000", <-created)}
			},
		}.ServeHTTP)
		if d, _, err := c.CreateDeployment(t.Context(), wanted()); err != nil || d.ID != "d0000001-0000-4000-8000-000000000000" {
			t.Errorf("CreateDeployment = %v, %v; want d0000001-0000-4000-8000-000000000000", d, err)
		}
	})
}

func TestLookupFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lookup   http.HandlerFunc
		requests int
		want     string
	}{
		"for good": {answerWith(403, `{"detail":"no"}`), 6, "looking for it failed: GET /v2/deployments: 403 Forbidden: no"},
		"for the moment": {
			answerWith(502, `{"detail":"boom"}`), 6, "looking for it failed: GET /v2/deployments: 502 Bad Gateway: boom",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, script(answerWith(504, nil), test.lookup), func(cfg *Config) { cfg.MaxRetries = -1 })
			_, _, err := c.CreateDeployment(t.Context(), wanted())
			unknown, ok := errors.AsType[*OutcomeUnknownError](err)
			if !ok || unknown.Reason != test.want || StatusOf(err) != 504 {
				t.Errorf("error = %v, want reason %q and the status of the create", err, test.want)
			}
			if got := len(s.calls()); got != test.requests {
				t.Errorf("%d requests, want %d", got, test.requests)
			}
		})
	}
}

func TestLookupIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, s := serve(t, script(answerWith(504, nil), func(w http.ResponseWriter, r *http.Request) {
		cancel()
		neverAnswer(w, r)
	}))
	_, _, err := c.CreateDeployment(ctx, wanted())
	if _, ok := errors.AsType[*OutcomeUnknownError](err); !ok || !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want an OutcomeUnknownError that is context.Canceled", err)
	}
	if !strings.Contains(err.Error(), "504 Gateway Timeout") {
		t.Errorf("error = %q, want it to contain the gateway's first response, 504 Gateway Timeout", err)
	}
	if got := len(s.calls()); got != 2 {
		t.Errorf("%d requests, want 2", got)
	}
}

// TestOneDeploymentIsAdoptedOnce creates two resources with the same name and arguments: one is created, the other is refused, and both replies are lost.
func TestOneDeploymentIsAdoptedOnce(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, plane{lose: hangUp, list: func(now time.Time) []api.Deployment {
		return []api.Deployment{made("d0000001-0000-4000-8000-000000000000", now)}
	}}.ServeHTTP)
	other := c.InWorkspace("w2") // It shares c's record of adopted objects.
	results := make([]error, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			who := c
			if i%2 == 1 {
				who = other
			}
			_, _, results[i] = who.CreateDeployment(t.Context(), wanted())
		})
	}
	wg.Wait()
	adopted := 0
	for _, err := range results {
		if err == nil {
			adopted++
		} else if !strings.Contains(err.Error(), "another create of this run made it") {
			t.Errorf("error = %v, want one about another create", err)
		}
	}
	if adopted != 1 {
		t.Errorf("adopted %d times, want once", adopted)
	}
}

func TestADeploymentThatWasAnsweredIsNotAdopted(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, plane{
		lose: script(answerWith(http.StatusCreated, made("d0000001-0000-4000-8000-000000000000", time.Now())), hangUp),
		list: func(now time.Time) []api.Deployment {
			return []api.Deployment{made("d0000001-0000-4000-8000-000000000000", now)}
		},
	}.ServeHTTP)
	if _, _, err := c.CreateDeployment(t.Context(), wanted()); err != nil {
		t.Fatal(err)
	}
	_, _, err := c.CreateDeployment(t.Context(), wanted())
	if unknown, ok := errors.AsType[*OutcomeUnknownError](err); !ok || unknown.ID != "d0000001-0000-4000-8000-000000000000" {
		t.Errorf("error = %v, want an OutcomeUnknownError with d0000001-0000-4000-8000-000000000000", err)
	}
}

func TestCreatedBefore(t *testing.T) {
	t.Parallel()
	// By the local clock, the create was sent at noon and answered 3 s later. The service's Date is an hour later.
	sent := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	listed := httpResponse{
		received: sent.Add(3 * time.Second),
		header:   http.Header{"Date": {sent.Add(time.Hour + 3*time.Second).Format(http.TimeFormat)}},
	}
	tests := map[string]struct {
		created string
		listed  httpResponse
		want    string
	}{
		"the moment the create left": {"2026-03-01T13:00:00Z", listed, ""},
		"while it was under way":     {"2026-03-01T13:00:02.123456Z", listed, ""},
		"in another zone":            {"2026-03-01T15:30:01.5+02:30", listed, ""},
		"a moment earlier": {
			"2026-03-01T12:59:59.999999Z", listed, "it was created at 2026-03-01T12:59:59.999999Z, before this request",
		},
		"by the wrong clock": {"2026-03-01T12:00:01Z", listed, "it was created at 2026-03-01T12:00:01Z, before this request"},
		"without a zone":     {"2026-03-01T13:00:01", listed, `its created_at "2026-03-01T13:00:01" is not a date-time`},
		"no date":            {"", listed, `its created_at "" is not a date-time`},
		"without a clock":    {"2026-03-01T13:00:01Z", httpResponse{received: sent}, "the service doesn't report its creation time"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := createdBefore(test.created, sent, test.listed); got != test.want {
				t.Errorf("createdBefore = %q, want %q", got, test.want)
			}
		})
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	type l = []any
	tests := map[string]struct {
		want, got any
		path      string
		different bool
	}{
		"equal":               {m{"a": "x"}, m{"a": "x", "b": "y"}, "", false},
		"null is not sent":    {m{"a": nil}, m{"a": "x"}, "", false},
		"empty list, null":    {m{"a": l{}}, m{}, "", false},
		"empty object, null":  {m{"a": m{}}, m{"a": nil}, "", false},
		"empty object, more":  {m{"a": m{}}, m{"a": m{"b": "x"}}, "", false},
		"empty list, more":    {m{"a": l{}}, m{"a": l{"x"}}, ".a", true},
		"missing":             {m{"a": m{"b": "x"}}, m{}, ".a", true},
		"other value":         {m{"a": m{"b": "x"}}, m{"a": m{"b": "y"}}, ".a.b", true},
		"the first by name":   {m{"b": "x", "a": "x"}, m{}, ".a", true},
		"list of other order": {m{"a": l{"x", "y"}}, m{"a": l{"y", "x"}}, ".a[0]", true},
		"longer list":         {m{"a": l{"x"}}, m{"a": l{"x", "y"}}, ".a", true},
		"inside a list":       {m{"a": l{m{"b": "x"}}}, m{"a": l{m{"b": "x", "c": "y"}}}, "", false},
		"other inside a list": {m{"a": l{"z", m{"b": "x"}}}, m{"a": l{"z", m{"b": "y"}}}, ".a[1].b", true},
		"object for a list":   {m{"a": l{"x"}}, m{"a": m{}}, ".a", true},
		"list for an object":  {m{"a": m{"b": "x"}}, m{"a": l{}}, ".a", true},
		"text for an object":  {m{"a": m{}}, m{"a": "x"}, ".a", true},
		"object for text":     {m{"a": "x"}, m{"a": m{}}, ".a", true},
		"list for text":       {m{"a": "x"}, m{"a": l{"x"}}, ".a", true},
		"false is a value":    {m{"a": false}, m{}, ".a", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, different := difference(test.want, test.got)
			if path != test.path || different != test.different {
				t.Errorf("difference = %q, %v; want %q, %v", path, different, test.path, test.different)
			}
		})
	}
}
