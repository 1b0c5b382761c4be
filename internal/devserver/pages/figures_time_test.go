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
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestFiguresTime checks that figures that take too long become those of the newest runs, unless the reader has left.
func TestFiguresTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit time.Duration // Of the figures of all runs.
		leave bool          // While they are added up.
		want  []int         // The newest runs that were asked for, one after the other; zero for all.
	}{
		"in time":  {time.Hour, false, []int{0}},
		"too long": {time.Second, false, []int{0, newestRuns}},
		"left":     {time.Second, true, []int{0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, _ := openPages(t)
			synctest.Test(t, func(t *testing.T) {
				service.figuresTime = c.limit
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				var asked []int
				page := service.withFigures(func(call *rest.Call, _ web.Frame, newest int) (web.View, error) {
					asked = append(asked, newest)
					if c.leave {
						leave()
					}
					if newest == 0 {
						time.Sleep(time.Minute)
						if _, err := call.Tx.Projects("", store.ProjectFilter{}); err != nil {
							return nil, err
						}
					}
					return web.ErrorView{Message: fmt.Sprintf("of the newest %d.", newest)}, nil
				})
				reply := httptest.NewRecorder()
				page(reply, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody))
				if !slices.Equal(asked, c.want) {
					t.Errorf("figures of %v runs were asked for, want %v", asked, c.want)
				}
				if want := fmt.Sprintf("of the newest %d.", c.want[len(c.want)-1]); !c.leave && !strings.Contains(reply.Body.String(), want) {
					t.Errorf("the page is %q, want %q", reply.Body, want)
				}
			})
		})
	}
}

// TestFiguresOfNewest checks that figures of the newest runs are not compared with those of the period before, whose runs are older.
func TestFiguresOfNewest(t *testing.T) {
	t.Parallel()
	service, server := openPages(t)
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
		service.figuresTime = limit
		mux, reply := http.NewServeMux(), httptest.NewRecorder()
		service.Routes(mux)
		mux.ServeHTTP(reply, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/ui/projects/"+project.ID+"/figures", http.NoBody))
		if text := reply.Body.String(); !strings.Contains(text, "<dt>Traces</dt><dd>1") || strings.Contains(text, "was 1") != compared || strings.Contains(text, "among the newest") == compared {
			t.Errorf("of all %v: the page compares: %v\n%s", compared, strings.Contains(text, "was 1"), text)
		}
	}
}
