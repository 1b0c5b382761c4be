package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// manyDeployments is a service that lists deployments by name or as a whole, and counts both.
type manyDeployments struct {
	mu            sync.Mutex
	deployments   []api.Deployment
	byName, whole int
	// refuses refuses lists, taken all creates; loses loses the replies to these.
	refuses, loses, taken bool
}

func (m *manyDeployments) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := r.URL.Query().Get("name")
	switch {
	case r.Method == http.MethodPost && m.taken && m.loses:
		hangUp(w, r)
	case r.Method == http.MethodPost && m.taken:
		answerWith(http.StatusConflict, `{"detail":"taken"}`)(w, r)
	case r.Method == http.MethodPost:
		var asked api.DeploymentCreateRequest
		_ = json.NewDecoder(r.Body).Decode(&asked)
		answerWith(http.StatusCreated, m.add(asked.Name))(w, r)
	case name != "":
		m.byName++
		m.list(w, r, name)
	default:
		m.whole++
		m.list(w, r, "")
	}
}

func (m *manyDeployments) add(name string) api.Deployment {
	d := made(fmt.Sprintf("%08d-0000-4000-8000-000000000000", len(m.deployments)))
	d.Name = name
	m.deployments = append(m.deployments, d)
	return d
}

func (m *manyDeployments) list(w http.ResponseWriter, r *http.Request, name string) {
	if m.refuses {
		answerWith(http.StatusForbidden, nil)(w, r)
		return
	}
	shown := []api.Deployment{}
	for _, d := range m.deployments {
		if name == "" || d.Name == name {
			shown = append(shown, d)
		}
	}
	answerWith(http.StatusOK, api.List[api.Deployment]{Resources: shown})(w, r)
}

// looks returns how many lists were read since the last call: by name, and of all deployments.
func (m *manyDeployments) looks() [2]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	counts := [2]int{m.byName, m.whole}
	m.byName, m.whole = 0, 0
	return counts
}

func wantedAs(name string) api.DeploymentCreateRequest {
	req := wanted()
	req.Name = name
	return req
}

// TestCreatesShareALookUp creates deployments at the same time: the first nine look their names up, the others share a list.
func TestCreatesShareALookUp(t *testing.T) {
	t.Parallel()
	const many = 40
	plane := &manyDeployments{}
	c, _ := serve(t, plane.ServeHTTP)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			if _, _, err := c.CreateDeployment(t.Context(), wantedAs(fmt.Sprintf("chat-%d", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if diff := cmp.Diff([2]int{9, 1}, plane.looks()); diff != "" {
		t.Errorf("look-ups by name and of all (-want +got):\n%s", diff)
	}
}

// TestSharedLookUp expects the shared list to be read again after a minute and after a failure, and names to be looked up after a
// conflict and in another workspace.
func TestSharedLookUp(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	plane := &manyDeployments{}
	c, _ := serve(t, plane.ServeHTTP, func(cfg *Config) { cfg.Now = func() time.Time { return now } })
	for i := range sharedFrom - 1 {
		if _, _, err := c.CreateDeployment(t.Context(), wantedAs(fmt.Sprintf("first-%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	plane.looks()
	for _, step := range []struct {
		name           string
		in             string
		after          time.Duration
		refuses, taken bool
		want           [2]int
	}{
		{"refused", "", 0, true, false, [2]int{0, 1}},
		{"read", "", 0, false, false, [2]int{0, 1}},
		{"soon-after", "", time.Minute, false, false, [2]int{0, 0}},
		{"elsewhere", "6b0ac2b8-0000-4000-8000-000000000000", 0, false, false, [2]int{1, 0}},
		{"later", "", time.Second, false, false, [2]int{0, 1}},
		{"taken", "", 0, false, true, [2]int{0, 0}},
		{"after-a-conflict", "", 0, false, false, [2]int{1, 0}},
	} {
		now = now.Add(step.after)
		plane.refuses, plane.taken = step.refuses, step.taken
		if _, _, err := c.InWorkspace(step.in).CreateDeployment(t.Context(), wantedAs(step.name)); IsConflict(err) != step.taken || (err != nil) != step.taken {
			t.Errorf("%s: error = %v", step.name, err)
		}
		if diff := cmp.Diff(step.want, plane.looks()); diff != "" {
			t.Errorf("%s: look-ups by name and of all (-want +got):\n%s", step.name, diff)
		}
	}
}

// TestSharedLookUpShowsOthers loses the reply to a create that was refused because of a deployment in the shared list.
func TestSharedLookUpShowsOthers(t *testing.T) {
	t.Parallel()
	plane := &manyDeployments{}
	older := plane.add("older")
	c, _ := serve(t, plane.ServeHTTP)
	for i := range sharedFrom {
		if _, _, err := c.CreateDeployment(t.Context(), wantedAs(fmt.Sprintf("chat-%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	plane.taken, plane.loses = true, true
	_, adopted, err := c.CreateDeployment(t.Context(), wantedAs("older"))
	if adopted || !IsAmbiguous(err) || FoundID(err) != older.ID {
		t.Errorf("adopted = %t, error = %v; want an unknown outcome with %s", adopted, err, older.ID)
	}
}
