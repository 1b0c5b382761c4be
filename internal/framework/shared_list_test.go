package framework

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// workspace is a service with the deployments d0, d1 and so on, whose names equal their IDs.
type workspace struct {
	names []string
	// waits delays reads of single deployments until a page is requested, as if all reads were in flight at the same time.
	waits  bool
	listed chan struct{}
	// refused is the status of a page, unless it is 0.
	refused int

	ones, pages atomic.Int64
}

// nth returns the ID and the name of a deployment.
func nth(i int) string { return fmt.Sprintf("d%07d-0000-4000-8000-000000000000", i) }

func newWorkspace(size int) *workspace {
	w := &workspace{listed: make(chan struct{})}
	for i := range size {
		w.names = append(w.names, nth(i))
	}
	return w
}

func (w *workspace) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	query, id := r.URL.Query(), r.PathValue("id")
	if ids := query.Get("deployment_ids"); ids != "" { // This request confirms that one is gone.
		w.ones.Add(1)
		write(rw, listOf(slices.DeleteFunc(strings.Split(ids, ","), func(id string) bool { return !slices.Contains(w.names, id) })...))
		return
	}
	if id == "" && query.Get("name") == "" {
		w.page(rw, query.Get("limit"), query.Get("offset"))
		return
	}
	w.ones.Add(1)
	if w.waits {
		<-w.listed
	}
	name := id + query.Get("name")
	exists := slices.Contains(w.names, name)
	switch {
	case id == "" && exists:
		write(rw, listOf(name))
	case id == "":
		write(rw, listOf())
	case exists:
		write(rw, map[string]any{"id": id, "name": id})
	default:
		rw.WriteHeader(http.StatusNotFound)
	}
}

func (w *workspace) page(rw http.ResponseWriter, limit, offset string) {
	if w.pages.Add(1) == 1 {
		close(w.listed)
	}
	if w.refused != 0 {
		rw.WriteHeader(w.refused)
		return
	}
	from, _ := strconv.Atoi(offset)
	size, _ := strconv.Atoi(limit)
	from = min(from, len(w.names))
	write(rw, listOf(w.names[from:min(from+size, len(w.names))]...))
}

func listOf(names ...string) map[string]any {
	items := make([]any, len(names))
	for i, name := range names {
		items[i] = map[string]any{"id": name, "name": name}
	}
	return map[string]any{"resources": items}
}

func write(rw http.ResponseWriter, body any) { _ = json.NewEncoder(rw).Encode(body) }

func (w *workspace) client(t *testing.T) *client.Client {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("GET /v2/deployments", w)
	mux.Handle("GET /v2/deployments/{id}", w)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c, err := client.New(client.Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func listOfDeployments(c *client.Client) *SharedList[api.Deployment] {
	return newSharedList(c.Deployments().Pages(), func(d api.Deployment) []string { return []string{d.ID, "name " + d.Name} })
}

// listedOne reads a deployment as resources do.
func listedOne(ctx context.Context, l *SharedList[api.Deployment], c *client.Client, id string) (*api.Deployment, error) {
	return l.One(ctx, id, func(whole bool) (*api.Deployment, error) {
		if whole {
			return c.Deployments().Get(ctx, id)
		}
		return c.Deployments().Find(ctx, id)
	})
}

// inFlight calls a function n times, ten at a time, as Terraform does.
func inFlight(n int, do func(i int)) {
	var all sync.WaitGroup
	free := make(chan struct{}, 10)
	for i := range n {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			do(i)
		})
	}
	all.Wait()
}

// TestSharedList_reads counts the requests for reading deployments by ID.
func TestSharedList_reads(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size, reads int
		waits       bool
		refused     int
		ones, pages int64
	}{
		"one":                             {size: 1000, reads: 1, ones: 1},
		"ten together":                    {size: 10, reads: 10, waits: true, ones: 1, pages: 1},
		"a thousand together":             {size: 1000, reads: 1000, waits: true, ones: 1, pages: 11},
		"thirty, one after the other":     {size: 30, reads: 30, ones: 10, pages: 1},
		"two together of very many":       {size: 5000, reads: 2, waits: true, ones: 1, pages: 1},
		"ten together, and pages refused": {size: 10, reads: 10, waits: true, refused: 403, ones: 10, pages: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(test.size)
			w.waits, w.refused = test.waits, test.refused
			c := w.client(t)
			l := listOfDeployments(c)
			read := func(i int) {
				id := w.names[i]
				if got, err := listedOne(t.Context(), l, c, id); err != nil || got.ID != id {
					t.Errorf("deployment(%s) = %v, %v; want it found", id, got, err)
				}
			}
			if test.waits {
				inFlight(test.reads, read)
			} else {
				for i := range test.reads {
					read(i)
				}
			}
			if ones, pages := w.ones.Load(), w.pages.Load(); ones != test.ones || pages != test.pages {
				t.Errorf("it took %d reads of one deployment and %d pages, want %d and %d", ones, pages, test.ones, test.pages)
			}
		})
	}
}

// TestSharedList_rest reads deployments individually if the list doesn't have them, or if reading the list would take longer.
func TestSharedList_rest(t *testing.T) {
	t.Parallel()
	w := newWorkspace(1000)
	w.waits = true
	c := w.client(t)
	l := listOfDeployments(c)
	ids := []string{nth(999), nth(998), "gone"}
	inFlight(len(ids), func(i int) {
		got, err := listedOne(t.Context(), l, c, ids[i])
		if gone := ids[i] == "gone"; gone != client.IsNotFound(err) || !gone && (err != nil || got.ID != ids[i]) {
			t.Errorf("deployment(%s) = %v, %v; want only gone not found", ids[i], got, err)
		}
	})
	if ones, pages := w.ones.Load(), w.pages.Load(); ones != 4 || pages < 1 || pages > 3 {
		t.Errorf("it took %d reads of one deployment and %d pages, want 4 and 1 to 3", ones, pages)
	}
}

// TestSharedList_names looks up names, which needs the whole list.
func TestSharedList_names(t *testing.T) {
	t.Parallel()
	w := newWorkspace(150)
	w.waits = true
	c := w.client(t)
	l := listOfDeployments(c)
	inFlight(100, func(i int) {
		name := nth(100 + i) // Half of them exist.
		named, err := l.All(t.Context(), "name "+name, func() ([]api.Deployment, error) {
			return client.Collect(c.ListDeployments(t.Context(), client.DeploymentFilter{Name: name}))
		})
		if err != nil || len(named) != map[bool]int{true: 1}[i < 50] {
			t.Errorf("named(%s) = %v, %v; want one only if it exists", name, named, err)
		}
	})
	if ones, pages := w.ones.Load(), w.pages.Load(); ones != 1 || pages != 2 {
		t.Errorf("it took %d requests for one name and %d pages, want 1 and 2", ones, pages)
	}
}

// TestSharedList_closed checks that the list isn't used once this process has changed something.
func TestSharedList_closed(t *testing.T) {
	t.Parallel()
	w := newWorkspace(10)
	w.waits = true
	c := w.client(t)
	l := listOfDeployments(c)
	read := func(i int) {
		if _, err := listedOne(t.Context(), l, c, w.names[i]); err != nil {
			t.Error(err)
		}
	}
	inFlight(10, read)
	l.Close()
	inFlight(10, read)
	if ones, pages := w.ones.Load(), w.pages.Load(); ones != 11 || pages != 1 {
		t.Errorf("it took %d reads of one deployment and %d pages, want 11 and 1", ones, pages)
	}
}

// TestSharedList_canceled stops waiting for a page that another caller is reading.
func TestSharedList_canceled(t *testing.T) {
	t.Parallel()
	w := newWorkspace(10)
	c := w.client(t)
	l := listOfDeployments(c)
	l.turn <- struct{}{}
	l.inFlight.Add(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := listedOne(ctx, l, c, nth(1)); err == nil {
		t.Error("reading with a cancelled context: error = nil, want one")
	}
}
