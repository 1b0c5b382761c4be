package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
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
func made(id string) api.Deployment {
	return api.Deployment{
		Name: "chat", ID: id, Source: api.SourceExternalContainer, Status: api.DeploymentAwaitingDatabase,
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

// noResources is an empty list of deployments or listeners.
const noResources = `{"resources":[]}`

// losing is a service that loses the reply of every create, after which it lists deployments.
func losing(lose http.HandlerFunc, list func() []api.Deployment) http.HandlerFunc {
	return appearing(noResources, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			lose(w, r)
			return
		}
		answerWith(http.StatusOK, api.List[api.Deployment]{Resources: list()})(w, r)
	})
}

func TestLostCreateIsAdoptedOnlyWhenProvablyOurs(t *testing.T) {
	t.Parallel()
	type change func(d *api.Deployment)
	config := func(f func(*api.SourceConfig)) change {
		return func(d *api.Deployment) { f(&d.SourceConfig) }
	}
	namespace := func(name string) change {
		return config(func(c *api.SourceConfig) { c.ListenerConfig = &api.ListenerConfig{K8sNamespace: &name} })
	}
	tests := map[string]struct {
		change change
		want   string // Part of the reason for refusing to adopt; empty: adopted.
	}{
		"as made":                  {func(*api.Deployment) {}, ""},
		"secrets are not reported": {func(d *api.Deployment) { d.Secrets = nil }, ""},
		"namespace is reported":    {namespace("agents"), ""},
		"created in the future":    {func(d *api.Deployment) { d.CreatedAt = "2201-01-01T00:00:00Z" }, ""},

		"other source": {
			func(d *api.Deployment) { d.Source = api.SourceGitHost }, "it differs in source",
		},
		"other image": {
			func(d *api.Deployment) { d.SourceRevisionConfig.ImageURI = new("x:2") },
			"source_revision_config.image_uri",
		},
		"no spec":         {config(func(c *api.SourceConfig) { c.ResourceSpec = nil }), "source_config.resource_spec"},
		"other secrets":   {func(d *api.Deployment) { d.Secrets[0].Name = "C" }, "it differs in secrets[0].name"},
		"one secret less": {func(d *api.Deployment) { d.Secrets = d.Secrets[:1] }, "it differs in secrets"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, losing(hangUp, func() []api.Deployment {
				d := made("d0000001-0000-4000-8000-000000000000")
				test.change(&d)
				return []api.Deployment{{Name: "chat-two", ID: "d0000000-0000-4000-8000-000000000000"}, d} // The name filter is not exact everywhere.
			}))
			d, _, err := c.CreateDeployment(t.Context(), wanted())
			if diff := cmp.Diff([]string{"GET /v2/deployments", "POST /v2/deployments", "GET /v2/deployments"}, s.calls()); diff != "" {
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

func TestLostCreateIsLookedForAgain(t *testing.T) {
	t.Parallel()
	appears := func(at int) func() []api.Deployment {
		lookups := 0
		return func() []api.Deployment {
			if lookups++; lookups < at {
				return []api.Deployment{}
			}
			return []api.Deployment{made("d0000001-0000-4000-8000-000000000000")}
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
		plane    http.HandlerFunc
		want     string // Part of the error; empty: adopted.
		id       string // The error's ID.
		lookups  int
		sleeping []time.Duration
	}{
		"at once":          {losing(answerWith(500, `{"detail":"boom"}`), appears(1)), "", "", 1, nil},
		"a little later":   {losing(answerWith(504, nil), appears(3)), "", "", 3, seconds(1, 2)},
		"at the last look": {losing(breakOff, appears(5)), "", "", 5, seconds(1, 2, 4, 8)},
		"never": {
			losing(answerWith(502, `{"detail":"boom"}`), appears(9)),
			`502 Bad Gateway: boom; whether deployment "chat" was created is unknown (nothing with that name exists yet)`,
			"", 6, seconds(1, 2, 4, 8, 15),
		},
		"can't be listed": {
			appearing(noResources, script(answerWith(504, nil), answerWith(403, `{"detail":"no"}`))),
			"looking for it failed: GET /v2/deployments: 403 Forbidden: no", "", 6, seconds(1, 2, 4, 8, 15),
		},
		"twice": {
			losing(hangUp, func() []api.Deployment {
				return []api.Deployment{made("d0000001-0000-4000-8000-000000000000"), made("d0000002-0000-4000-8000-000000000000")}
			}), "there are 2 with that name", "d0000001-0000-4000-8000-000000000000", 1, nil,
		},
		"one that is being deleted": {
			losing(hangUp, func() []api.Deployment {
				dying := made("d0000001-0000-4000-8000-000000000000")
				dying.Status = api.DeploymentAwaitingDelete
				return []api.Deployment{dying}
			}), "nothing with that name exists yet", "", 6, seconds(1, 2, 4, 8, 15),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, test.plane)
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
			if got := len(calls) - 2; got != test.lookups {
				t.Errorf("looked it up %d times after the create, want %d", got, test.lookups)
			}
			if diff := cmp.Diff(test.sleeping, s.slept()); diff != "" {
				t.Errorf("pauses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLookupIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, s := serve(t, appearing(noResources, script(answerWith(504, nil), func(w http.ResponseWriter, r *http.Request) {
		cancel()
		neverAnswer(w, r)
	})))
	_, _, err := c.CreateDeployment(ctx, wanted())
	if _, ok := errors.AsType[*OutcomeUnknownError](err); !ok || !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want an OutcomeUnknownError that is context.Canceled", err)
	}
	if !strings.Contains(err.Error(), "504 Gateway Timeout") {
		t.Errorf("error = %q, want it to contain the gateway's first response, 504 Gateway Timeout", err)
	}
	if got := len(s.calls()); got != 3 {
		t.Errorf("%d requests, want 3", got)
	}
}

// TestOneDeploymentIsAdoptedOnce creates two resources with the same name and arguments: one is created, the other is refused, and both replies are lost.
func TestOneDeploymentIsAdoptedOnce(t *testing.T) {
	t.Parallel()
	results := make([]error, 8)
	var looked sync.WaitGroup
	looked.Add(len(results))
	looks := 0
	var c *Client
	var s *service
	c, s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			s.turn.Unlock()
			looked.Wait()
			s.turn.Lock()
			hangUp(w, r)
		case looks < len(results):
			looks++
			answerWith(http.StatusOK, noResources)(w, r)
			looked.Done()
		default:
			answerWith(http.StatusOK, api.List[api.Deployment]{Resources: []api.Deployment{made("d0000001-0000-4000-8000-000000000000")}})(w, r)
		}
	})
	other := c.InWorkspace("w2") // It shares c's record of adopted objects.
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

// TestLostCreateAfterALookUp loses replies after a look-up that shows, hides or can't tell what existed before. What may have existed is
// named, not adopted.
func TestLostCreateAfterALookUp(t *testing.T) {
	t.Parallel()
	const first, second = "d0000001-0000-4000-8000-000000000000", "d0000002-0000-4000-8000-000000000000"
	list := func(items ...api.Deployment) http.HandlerFunc {
		return answerWith(http.StatusOK, api.List[api.Deployment]{Resources: append([]api.Deployment{}, items...)})
	}
	dying := made(first)
	dying.Status = api.DeploymentAwaitingDelete
	shouted := made(strings.ToUpper(first))
	for name, test := range map[string]struct {
		before, after http.HandlerFunc
		id            string
		want          string // In the reason for refusing to adopt it; empty: adopted.
	}{
		"free":                           {list(), list(made(first)), first, ""},
		"another name":                   {list(api.Deployment{ID: second, Name: "chat-two"}), list(made(first)), first, ""},
		"taken":                          {list(made(first)), list(made(first)), first, "it existed before this request"},
		"taken, in other letters":        {list(shouted), list(made(first)), first, "it existed before this request"},
		"being deleted":                  {list(dying), list(dying, made(second)), second, ""},
		"free since":                     {list(made(first)), list(made(second)), second, ""},
		"free since, and lists lag":      {list(made(first)), script(list(made(first)), list(made(first)), list(made(second))), second, ""}, //nolint:gocritic // Answers, not options.
		"the look-up is refused":         {answerWith(403, `{"detail":"no"}`), list(made(first)), first, "whether it existed before is unknown: GET /v2/deployments: 403 Forbidden: no"},
		"the look-up fails":              {answerWith(502, `{"detail":"boom"}`), list(made(first)), first, "whether it existed before is unknown: GET /v2/deployments: 502 Bad Gateway: boom"},
		"the look-up has no answer":      {hangUp, list(made(first)), first, "whether it existed before is unknown: GET /v2/deployments: no response"},
		"the look-up is a list of lists": {answerWith(200, `{"resources":[[]]}`), list(made(first)), first, "whether it existed before is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var posted atomic.Bool
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodPost:
					posted.Store(true)
					hangUp(w, r)
				case posted.Load():
					test.after(w, r)
				default:
					test.before(w, r)
				}
			})
			d, adopted, err := c.CreateDeployment(t.Context(), wanted())
			if test.want == "" {
				if err != nil || !adopted || d.ID != test.id {
					t.Errorf("CreateDeployment = %v, %t, %v; want %s adopted", d, adopted, err, test.id)
				}
				return
			}
			unknown, ok := errors.AsType[*OutcomeUnknownError](err)
			if !ok || unknown.ID != test.id || FoundID(err) != test.id || !strings.Contains(unknown.Reason, test.want) {
				t.Errorf("error = %v, want an OutcomeUnknownError with %s and %q", err, test.id, test.want)
			}
		})
	}
}

// TestCreateWithoutALookUp sends creates although nothing can be looked up, and believes the response.
func TestCreateWithoutALookUp(t *testing.T) {
	t.Parallel()
	for name, refuses := range map[string]http.HandlerFunc{
		"403": answerWith(403, `{"detail":"no"}`), "500": answerWith(500, nil), "hang-up": hangUp, "no list": answerWith(200, `{}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					refuses(w, r)
					return
				}
				answerWith(http.StatusCreated, made("d0000001-0000-4000-8000-000000000000"))(w, r)
			})
			if d, adopted, err := c.CreateDeployment(t.Context(), wanted()); err != nil || adopted || d.ID != "d0000001-0000-4000-8000-000000000000" {
				t.Errorf("CreateDeployment = %v, %t, %v; want the one in the response", d, adopted, err)
			}
		})
	}
}

// TestResponseAboutAnEarlierObject answers a create with an object that this process has seen before: it is no answer, and the object
// that the create made is found.
func TestResponseAboutAnEarlierObject(t *testing.T) {
	t.Parallel()
	const earlier, own = "d0000001-0000-4000-8000-000000000000", "d0000002-0000-4000-8000-000000000000"
	for name, before := range map[string]func(*testing.T, *Client){
		"created": func(t *testing.T, c *Client) {
			t.Helper()
			if _, _, err := c.CreateDeployment(t.Context(), wanted()); err != nil {
				t.Fatal(err)
			}
		},
		"deleted": func(t *testing.T, c *Client) {
			t.Helper()
			if err := c.DeleteDeployment(t.Context(), strings.ToUpper(earlier), false); err != nil {
				t.Fatal(err)
			}
		},
		"shown": func(*testing.T, *Client) {},
	} {
		for made, list := range map[bool][]api.Deployment{true: {made(own)}, false: {}} {
			t.Run(fmt.Sprintf("%s/made: %t", name, made), func(t *testing.T) {
				t.Parallel()
				var asked atomic.Bool // For the create in question.
				c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
					switch {
					case r.Method == http.MethodPost:
						asked.Store(true)
						answerWith(http.StatusCreated, deploymentNamed("chat", earlier))(w, r)
					case r.Method == http.MethodGet && asked.Load():
						answerWith(http.StatusOK, api.List[api.Deployment]{Resources: list})(w, r)
					case r.Method == http.MethodGet && name == "shown":
						answerWith(http.StatusOK, api.List[api.Deployment]{Resources: []api.Deployment{deploymentNamed("chat", earlier)}})(w, r)
					case r.Method == http.MethodGet:
						answerWith(http.StatusOK, noResources)(w, r)
					}
				})
				before(t, c)
				asked.Store(false)
				d, adopted, err := c.CreateDeployment(t.Context(), wanted())
				if made && (err != nil || !adopted || d.ID != own) {
					t.Errorf("CreateDeployment = %v, %t, %v; want %s found", d, adopted, err, own)
				}
				if want := "201 Created: the response is about " + earlier + ", which this request did not create"; !made && (!IsAmbiguous(err) || !strings.Contains(err.Error(), want)) {
					t.Errorf("error = %v, want an unknown outcome with %q", err, want)
				}
			})
		}
	}
}

func deploymentNamed(name, id string) api.Deployment {
	d := made(id)
	d.Name = name
	return d
}

// TestRefusedCreateIsNotAdopted answers a create that a proxy has sent twice: the second attempt is refused because of the first.
func TestRefusedCreateIsNotAdopted(t *testing.T) {
	t.Parallel()
	for status, calls := range map[int]int{http.StatusConflict: 2, http.StatusBadRequest: 3} {
		c, s := serve(t, losing(answerWith(status, `{"detail":"A deployment named 'chat' already exists."}`), func() []api.Deployment {
			return []api.Deployment{made("d0000001-0000-4000-8000-000000000000")}
		}))
		_, adopted, err := c.CreateDeployment(t.Context(), wanted())
		if StatusOf(err) != status || adopted || IsAmbiguous(err) || len(s.calls()) != calls {
			t.Errorf("adopted = %t, error = %v after %v; want %d after %d requests", adopted, err, s.calls(), status, calls)
		}
		if _, _, err := c.CreateDeployment(t.Context(), wanted()); StatusOf(err) != status || status == http.StatusBadRequest && FoundID(err) != "" {
			t.Errorf("error = %v with %q after a look-up that shows the deployment, want %d without it", err, FoundID(err), status)
		}
	}
}

// TestDefiniteRefusals creates what the service itself refuses: one look-up follows, and nothing is left open.
func TestDefiniteRefusals(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 402, 403, 404, 409, 413, 422} {
		c, s := serve(t, losing(answerWith(status, `{"detail":"It is refused."}`), func() []api.Deployment { return nil }))
		_, _, err := c.CreateDeployment(t.Context(), wanted())
		refused, ok := errors.AsType[*Error](err)
		if !ok || refused.Status != status || refused.Doubt != "" || MayHaveHappened(err) {
			t.Errorf("%d: error = %#v, want a refusal that leaves nothing open", status, err)
		}
		if calls := s.calls(); len(calls) > 3 {
			t.Errorf("%d: requests = %v, want at most one look-up after the refusal", status, calls)
		}
	}
}

// TestPageAfterAnswers answers a write with a page, after a read that the service has answered: the URL is right.
func TestPageAfterAnswers(t *testing.T) {
	t.Parallel()
	const id = "d0000001-0000-4000-8000-000000000000"
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answerWith(http.StatusOK, made(id))(w, r)
			return
		}
		answerWith(http.StatusRequestEntityTooLarge, "<html><title>Too large</title></html>")(w, r)
	})
	write := func() *Error {
		_, err := c.PatchDeployment(t.Context(), id, api.DeploymentPatchRequest{})
		refused, _ := errors.AsType[*Error](err)
		return refused
	}
	if refused := write(); refused == nil || !refused.Misaddressed || !strings.Contains(refused.Error(), "base_url") {
		t.Errorf("error = %v before any answer of the service", refused)
	}
	if _, err := c.Deployments().Get(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if refused := write(); refused == nil || refused.Misaddressed || refused.SuggestedBaseURL != "" || strings.Contains(refused.Error(), "base_url") {
		t.Errorf("error = %v after an answer of the service", refused)
	}
}
