package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// tooLong is the way out of figures that take too long.
const tooLong = "Choose a shorter time range"

// TestFiguresTime checks that figures that take too long become those of fewer and fewer runs, that there is an answer within three seconds even
// if all of them take too long, and that they are given up when the reader has left.
func TestFiguresTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked []int // The newest runs that are asked for, one after the other; zero for all.
		slow  bool  // So are the last of these.
		leave bool  // While the first ones are added up.
		want  string
	}{
		"in time":   {[]int{0}, false, false, "of the newest 0."},
		"too long":  {[]int{0, 50_000}, false, false, "of the newest 50000."},
		"fewer":     {[]int{0, 50_000, 5_000}, false, false, "of the newest 5000."},
		"all slow":  {[]int{0, 50_000, 5_000}, true, false, tooLong},
		"left":      {[]int{0}, true, true, ""},
		"left soon": {[]int{0}, false, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, _ := openPages(t, "")
			synctest.Test(t, func(t *testing.T) {
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				var asked []int
				page := service.withFigures(func(call *rest.Call, _ web.Frame, newest int) (web.View, error) {
					asked = append(asked, newest)
					if c.leave {
						leave()
					}
					for c.slow || newest != c.asked[len(c.asked)-1] {
						time.Sleep(10 * time.Millisecond)
						if _, err := call.Tx.Projects("", store.ProjectFilter{}); err != nil {
							return nil, err
						}
					}
					return web.ErrorView{Message: fmt.Sprintf("of the newest %d.", newest)}, nil
				})
				began, reply := time.Now(), httptest.NewRecorder()
				page(reply, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody))
				if took := time.Since(began); took > 3*time.Second {
					t.Errorf("the answer took %s, want at most three seconds", took)
				}
				if !slices.Equal(asked, c.asked) {
					t.Errorf("figures of %v runs were asked for, want %v", asked, c.asked)
				}
				if !strings.Contains(reply.Body.String(), c.want) {
					t.Errorf("the page is %q, want %q", reply.Body, c.want)
				}
			})
		})
	}
}

// TestSlowFigures checks that attempts end while the database is asked, on each engine.
func TestSlowFigures(t *testing.T) {
	t.Parallel()
	service, _ := openPages(t, postgrestest.New(t, store.Open))
	service.attempts = []attempt{{0, time.Second}, {50_000, 1100 * time.Millisecond}}
	reply := httptest.NewRecorder()
	service.withFigures(func(call *rest.Call, _ web.Frame, _ int) (web.View, error) {
		for {
			if _, err := call.Tx.Projects("", store.ProjectFilter{}); err != nil {
				return nil, err
			}
		}
	})(reply, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	if reply.Code != http.StatusBadRequest || !strings.Contains(reply.Body.String(), tooLong) {
		t.Errorf("the answer is %d: %s, want %q", reply.Code, reply.Body, tooLong)
	}
}

// TestFiguresOfNewest checks that figures of the newest runs are not compared with those of the period before, whose runs are older.
func TestFiguresOfNewest(t *testing.T) {
	t.Parallel()
	service, server := openPages(t, postgrestest.New(t, store.Open))
	now := time.Now()
	project := store.Project{ID: uuid.NewString(), WorkspaceID: rest.DefaultWorkspaceID, Name: "p", StartTime: now}
	err := server.Store.Do(t.Context(), func(tx *store.Tx) error {
		err := tx.EnsureProject(project)
		for _, age := range []time.Duration{time.Hour, 30 * time.Hour} {
			id := uuid.NewString()
			row := store.Run{ID: id, TraceID: id, WorkspaceID: project.WorkspaceID, ProjectID: project.ID, Name: "r", RunType: "chain", Status: "success", Figures: "{}", StartTime: now.Add(-age), DottedOrder: &id}
			err = errors.Join(err, tx.SaveRun(row, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for limit, compared := range map[time.Duration]bool{time.Hour: true, 0: false} {
		service.attempts = []attempt{{0, limit}, {50_000, time.Hour}}
		mux, reply := http.NewServeMux(), httptest.NewRecorder()
		service.Routes(mux)
		mux.ServeHTTP(reply, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/ui/projects/"+project.ID+"/figures", http.NoBody))
		if text := reply.Body.String(); !strings.Contains(text, "<dt>Traces</dt><dd>1") || strings.Contains(text, "was 1") != compared || strings.Contains(text, "among the newest") == compared {
			t.Errorf("of all %v: the page compares: %v\n%s", compared, strings.Contains(text, "was 1"), text)
		}
	}
}
