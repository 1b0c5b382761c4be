package rollout

import (
	stdcmp "cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

const limit = 5 * time.Minute

// clock is a clock on which sleeping takes no time.
type clock struct{ *devserver.ManualClock }

func (c clock) Sleep(ctx context.Context, d time.Duration) error {
	c.Advance(d)
	return ctx.Err()
}

// reply is a scripted response: a body, an error status, or the HTML page of a proxy.
type reply struct {
	status int
	body   map[string]any
	page   bool
}

func revision(id, status string) reply {
	return reply{body: map[string]any{"id": id, "status": status, "status_message": "Told by the service."}}
}

func newest(id, status string) reply {
	return reply{body: map[string]any{"id": "d0000001-0000-4000-8000-000000000000", "name": "chat", "status": status, "latest_revision_id": id}}
}

// listed is a list of deployments.
func listed(deployments ...reply) reply {
	all := []any{}
	for _, d := range deployments {
		all = append(all, d.body)
	}
	return reply{body: map[string]any{"resources": all}}
}

// script is a service with a list of replies for each path; the last reply is repeated. The empty path is the deployment
// itself, and "list" is the list of deployments.
type script struct {
	mu      sync.Mutex
	replies map[string][]reply
	asked   map[string]int
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := strings.TrimPrefix(strings.TrimPrefix(r.URL.RequestURI(), "/v2/deployments/d0000001-0000-4000-8000-000000000000"), "/revisions/")
	if strings.HasPrefix(what, "/v2/deployments?") {
		what = "list"
	}
	list := s.replies[what]
	s.asked[what]++
	if strings.HasPrefix(what, "/revisions?") && len(list) == 0 {
		list = []reply{s.revisions()}
	}
	if len(list) == 0 {
		http.Error(w, "not in the script: "+what, http.StatusTeapot)
		return
	}
	now := list[min(s.asked[what], len(list))-1]
	if now.page {
		http.Error(w, "<html><title>Portal</title></html>", http.StatusOK)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if now.status != 0 {
		w.WriteHeader(now.status)
		now.body = map[string]any{"detail": "Scripted."}
	}
	_ = json.NewEncoder(w).Encode(now.body)
}

// revisions lists the revisions down to the first, from the newest that the deployment has shown so far.
func (s *script) revisions() reply {
	last := 1
	for _, shown := range s.replies[""][:min(s.asked[""], len(s.replies[""]))] {
		if id, ok := shown.body["latest_revision_id"].(string); ok {
			last, _ = strconv.Atoi(strings.TrimPrefix(id[:8], "2a"))
		}
	}
	var list []any
	for ; last > 0; last-- {
		list = append(list, revision(fmt.Sprintf("2a%06d-0000-4000-8000-000000000000", last), "DEPLOYED").body)
	}
	return reply{body: map[string]any{"resources": list}}
}

func (s *script) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for _, n := range s.asked {
		total += n
	}
	return total
}

// follow returns a rollout of the first revision of a scripted service.
func follow(t *testing.T, replies map[string][]reply) (*Rollout, *script) {
	t.Helper()
	s := &script{replies: replies, asked: map[string]int{}}
	listening := httptest.NewServer(s)
	t.Cleanup(listening.Close)
	now := clock{devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
	c, err := client.New(client.Config{BaseURL: listening.URL, Sleep: now.Sleep, Now: now.Now})
	if err != nil {
		t.Fatal(err)
	}
	return &Rollout{
		Client: c, Policy: poll.Policy{Clock: now, Jitter: -1}, DeploymentID: "d0000001-0000-4000-8000-000000000000", Revision: api.Revision{ID: "2a000001-0000-4000-8000-000000000000"},
	}, s
}

// ended describes in a word how a wait ended.
func ended(err error) string {
	var failure *FailedError
	switch {
	case err == nil:
		return "deployed"
	case errors.As(err, &failure):
		return "failed: " + failure.Error()
	case errors.Is(err, ErrDeleted):
		return "deleted"
	case errors.Is(err, errBeingDeleted):
		return "being deleted"
	case errors.Is(err, context.DeadlineExceeded):
		return "late"
	}
	return fmt.Sprintf("refused: %d", client.StatusOf(err))
}

func TestWait(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		replies    map[string][]reply
		want, last string
		superseded []string
		seen       []string
		first      string // The revision to follow; r1 if empty.
	}{
		"deployed": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "QUEUED"), revision("2a000001-0000-4000-8000-000000000000", "QUEUED"), revision("2a000001-0000-4000-8000-000000000000", "DEPLOYED")}},
			want:    "deployed", last: "2a000001-0000-4000-8000-000000000000 DEPLOYED",
			seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 QUEUED", "2a000001-0000-4000-8000-000000000000 QUEUED → 2a000001-0000-4000-8000-000000000000 QUEUED", "2a000001-0000-4000-8000-000000000000 QUEUED → 2a000001-0000-4000-8000-000000000000 DEPLOYED"},
		},
		"interrupted, and taken up again": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "INTERRUPTED"), revision("2a000001-0000-4000-8000-000000000000", "DEPLOYED")}},
			want:    "deployed", last: "2a000001-0000-4000-8000-000000000000 DEPLOYED", seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 INTERRUPTED", "2a000001-0000-4000-8000-000000000000 INTERRUPTED → 2a000001-0000-4000-8000-000000000000 DEPLOYED"},
		},
		"unknown, and of a younger service": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "UNKNOWN"), revision("2a000001-0000-4000-8000-000000000000", "MIGRATING"), revision("2a000001-0000-4000-8000-000000000000", "DEPLOYED")}},
			want:    "deployed", last: "2a000001-0000-4000-8000-000000000000 DEPLOYED",
			seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 UNKNOWN", "2a000001-0000-4000-8000-000000000000 UNKNOWN → 2a000001-0000-4000-8000-000000000000 MIGRATING", "2a000001-0000-4000-8000-000000000000 MIGRATING → 2a000001-0000-4000-8000-000000000000 DEPLOYED"},
		},
		"failed": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "BUILD_FAILED")}},
			want:    "failed: Told by the service.", last: "2a000001-0000-4000-8000-000000000000 BUILD_FAILED", seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 BUILD_FAILED"},
		},
		"superseded": {
			replies: map[string][]reply{
				"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "SKIPPED")}, "": {newest("2a000002-0000-4000-8000-000000000000", "READY")}, "2a000002-0000-4000-8000-000000000000": {revision("2a000002-0000-4000-8000-000000000000", "DEPLOYED")},
			},
			want: "deployed", last: "2a000002-0000-4000-8000-000000000000 DEPLOYED", superseded: []string{"2a000001-0000-4000-8000-000000000000"},
			seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 SKIPPED", "2a000001-0000-4000-8000-000000000000 SKIPPED → 2a000002-0000-4000-8000-000000000000 ", "2a000002-0000-4000-8000-000000000000  → 2a000002-0000-4000-8000-000000000000 DEPLOYED"},
		},
		"skipped, but the newest": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "SKIPPED")}, "": {newest("2a000001-0000-4000-8000-000000000000", "READY")}},
			want:    "failed: Told by the service.", last: "2a000001-0000-4000-8000-000000000000 SKIPPED", seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 SKIPPED"},
		},
		"skipped, and nothing says what is the newest": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "SKIPPED")}, "": {{body: map[string]any{"id": "d0000001-0000-4000-8000-000000000000", "status": "READY"}}}},
			want:    "failed: Told by the service.", last: "2a000001-0000-4000-8000-000000000000 SKIPPED", seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 SKIPPED"},
		},
		"superseded, and the deployment can't be read at first": {
			replies: map[string][]reply{
				"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "SKIPPED")}, "": {{status: 400}, newest("2a000002-0000-4000-8000-000000000000", "READY")}, "2a000002-0000-4000-8000-000000000000": {revision("2a000002-0000-4000-8000-000000000000", "DEPLOYED")},
			},
			want: "deployed", last: "2a000002-0000-4000-8000-000000000000 DEPLOYED", superseded: []string{"2a000001-0000-4000-8000-000000000000"},
			seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 SKIPPED", "2a000001-0000-4000-8000-000000000000 SKIPPED → 2a000001-0000-4000-8000-000000000000 SKIPPED", "2a000001-0000-4000-8000-000000000000 SKIPPED → 2a000002-0000-4000-8000-000000000000 ", "2a000002-0000-4000-8000-000000000000  → 2a000002-0000-4000-8000-000000000000 DEPLOYED"},
		},
		"not shown at first": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {{status: 404}, revision("2a000001-0000-4000-8000-000000000000", "DEPLOYED")}, "": {newest("2a000001-0000-4000-8000-000000000000", "READY")}},
			want:    "deployed", last: "2a000001-0000-4000-8000-000000000000 DEPLOYED", seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 DEPLOYED"},
		},
		"the deployment is gone": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {{status: 404}}, "": {{status: 404}}}, want: "refused: 404", last: "2a000001-0000-4000-8000-000000000000 ",
		},
		"the deployment is going": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {{status: 404}}, "": {newest("2a000001-0000-4000-8000-000000000000", "AWAITING_DELETE")}}, want: "being deleted", last: "2a000001-0000-4000-8000-000000000000 ",
		},
		"the deployment is going for good": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {{status: 404}}, "": {newest("2a000001-0000-4000-8000-000000000000", "AWAITING_FINAL_DELETE")}}, want: "being deleted", last: "2a000001-0000-4000-8000-000000000000 ",
		},
		"a copy still has the revision before": {
			replies: map[string][]reply{
				"2a000002-0000-4000-8000-000000000000": {{status: 404}, revision("2a000002-0000-4000-8000-000000000000", "DEPLOYED")}, "": {newest("2a000001-0000-4000-8000-000000000000", "READY")},
				"/revisions?limit=20&offset=0": {{body: map[string]any{"resources": []any{revision("2a000001-0000-4000-8000-000000000000", "DEPLOYED").body}}}},
			},
			want: "deployed", last: "2a000002-0000-4000-8000-000000000000 DEPLOYED", seen: []string{"2a000002-0000-4000-8000-000000000000  → 2a000002-0000-4000-8000-000000000000 DEPLOYED"}, first: "2a000002-0000-4000-8000-000000000000",
		},
		"a copy still has the revision before, and the list the newest": {
			replies: map[string][]reply{
				"2a000002-0000-4000-8000-000000000000": {{status: 404}, revision("2a000002-0000-4000-8000-000000000000", "DEPLOYED")}, "": {newest("2a000001-0000-4000-8000-000000000000", "READY")},
				"/revisions?limit=20&offset=0": {{body: map[string]any{"resources": []any{revision("2a000002-0000-4000-8000-000000000000", "QUEUED").body, revision("2a000001-0000-4000-8000-000000000000", "DEPLOYED").body}}}},
			},
			want: "deployed", last: "2a000002-0000-4000-8000-000000000000 DEPLOYED", seen: []string{"2a000002-0000-4000-8000-000000000000  → 2a000002-0000-4000-8000-000000000000 DEPLOYED"}, first: "2a000002-0000-4000-8000-000000000000",
		},
		"not shown again": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "DEPLOYING"), {status: 404}}, "": {{status: 404}}}, want: "refused: 404", last: "2a000001-0000-4000-8000-000000000000 ",
			seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 DEPLOYING"},
		},
		"shown before, and proved to be gone": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "DEPLOYING"), {status: 404}}, "": {{status: 404}}, "list": {listed()}},
			want:    "deleted", last: "2a000001-0000-4000-8000-000000000000 ", seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 DEPLOYING"},
		},
		"shown before, and missing in one list": {
			replies: map[string][]reply{
				"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "DEPLOYING"), {status: 404}, revision("2a000001-0000-4000-8000-000000000000", "DEPLOYED")},
				"":                                     {{status: 404}}, "list": {listed(), listed(newest("2a000001-0000-4000-8000-000000000000", "READY"))},
			},
			want: "deployed", last: "2a000001-0000-4000-8000-000000000000 DEPLOYED",
			seen: []string{"2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 DEPLOYING", "2a000001-0000-4000-8000-000000000000 DEPLOYING → 2a000001-0000-4000-8000-000000000000 DEPLOYED"},
		},
		"an outage": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {{status: 503}, revision("2a000001-0000-4000-8000-000000000000", "DEPLOYED")}},
			want:    "deployed", last: "2a000001-0000-4000-8000-000000000000 DEPLOYED", seen: []string{"2a000001-0000-4000-8000-000000000000  → outage", "2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 DEPLOYED"},
		},
		"pages of a proxy, for longer than refusals are believed": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": append(slices.Repeat([]reply{{page: true}}, 80), revision("2a000001-0000-4000-8000-000000000000", "DEPLOYED"))},
			want:    "deployed", last: "2a000001-0000-4000-8000-000000000000 DEPLOYED", seen: []string{"2a000001-0000-4000-8000-000000000000  → outage", "2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 DEPLOYED"},
		},
		"the key is revoked": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {{status: 401}}, "": {{status: 401}}}, want: "refused: 401", last: "2a000001-0000-4000-8000-000000000000 ", seen: []string{"2a000001-0000-4000-8000-000000000000  → 401"},
		},
		"revisions may not be read": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {{status: 403}}, "": {newest("2a000001-0000-4000-8000-000000000000", "READY")}}, want: "refused: 403", last: "2a000001-0000-4000-8000-000000000000 ", seen: []string{"2a000001-0000-4000-8000-000000000000  → 403"},
		},
		"refused for good": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": {{status: 422}}}, want: "refused: 422", last: "2a000001-0000-4000-8000-000000000000 ", seen: []string{"2a000001-0000-4000-8000-000000000000  → 422"},
		},
		"refused in turn": {
			replies: map[string][]reply{"2a000001-0000-4000-8000-000000000000": slices.Concat(slices.Repeat([]reply{{status: 400}, {status: 409}}, 20), []reply{revision("2a000001-0000-4000-8000-000000000000", "DEPLOYED")})},
			want:    "deployed", last: "2a000001-0000-4000-8000-000000000000 DEPLOYED", seen: append(slices.Repeat([]string{"2a000001-0000-4000-8000-000000000000  → 400", "2a000001-0000-4000-8000-000000000000  → 409"}, 20), "2a000001-0000-4000-8000-000000000000  → 2a000001-0000-4000-8000-000000000000 DEPLOYED"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := follow(t, test.replies)
			r.Revision.ID = stdcmp.Or(test.first, "2a000001-0000-4000-8000-000000000000")
			var seen []string
			r.OnRead = func(_ context.Context, before, now api.Revision, err error) {
				after := now.ID + " " + string(now.Status)
				switch {
				case err != nil && Outage(err):
					after = "outage"
				case err != nil:
					after = fmt.Sprint(client.StatusOf(err))
				}
				seen = append(seen, before.ID+" "+string(before.Status)+" → "+after)
				if refused := len(seen) - 2; refused >= 0 && err != nil && seen[refused] == seen[refused+1] {
					seen = seen[:refused+1]
				}
			}
			if diff := cmp.Diff(test.want, ended(r.Wait(t.Context(), 2*patience))); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.last, r.Revision.ID+" "+string(r.Revision.Status)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.superseded, r.Superseded); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.seen, seen); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWait_oddAnswer expects that no single response ends a wait, whether for the revision or for the deployment.
func TestWait_oddAnswer(t *testing.T) {
	t.Parallel()
	for status := 400; status < 600; status++ {
		r, _ := follow(t, map[string][]reply{
			"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "DEPLOYING"), {status: status}, {status: 404}, revision("2a000001-0000-4000-8000-000000000000", "DEPLOYED")}, "": {{status: status}, newest("2a000001-0000-4000-8000-000000000000", "READY")},
		})
		if got := ended(r.Wait(t.Context(), limit)); got != "deployed" {
			t.Errorf("%d: %s", status, got)
		}
	}
}

func TestWait_late(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reply        reply
		status, says string
	}{
		"in progress":  {revision("2a000001-0000-4000-8000-000000000000", "DEPLOYING"), "DEPLOYING", "still in progress"},
		"interrupted":  {revision("2a000001-0000-4000-8000-000000000000", "INTERRUPTED"), "INTERRUPTED", "was interrupted in the service"},
		"never seen":   {reply{status: 503}, "not known", "The last status check failed"},
		"asked for it": {reply{status: 429}, "not known", "The last status check failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := follow(t, map[string][]reply{"2a000001-0000-4000-8000-000000000000": {test.reply}})
			err := r.Wait(t.Context(), limit)
			if got := ended(err); got != "late" {
				t.Fatal(got)
			}
			if r.Status() != test.status || !strings.Contains(r.LastProblem(err), test.says) {
				t.Errorf("%s: %s", r.Status(), r.LastProblem(err))
			}
		})
	}
}

// TestWait_cutShort ends by its context, which also limits requests and their retries.
func TestWait_cutShort(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		replies []reply
		says    string
	}{
		"never seen":  {[]reply{{status: 503}}, "The last status check failed: GET /v2/deployments/d0000001-0000-4000-8000-000000000000/revisions/2a000001-0000-4000-8000-000000000000: 503"},
		"seen before": {[]reply{revision("2a000001-0000-4000-8000-000000000000", "DEPLOYING"), {status: 503}}, "The last status check failed: GET /v2/deployments/d0000001-0000-4000-8000-000000000000/revisions/2a000001-0000-4000-8000-000000000000: 503"},
		"in progress": {[]reply{revision("2a000001-0000-4000-8000-000000000000", "DEPLOYING")}, "still in progress"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := follow(t, map[string][]reply{"2a000001-0000-4000-8000-000000000000": test.replies})
			ctx := &lateContext{Context: t.Context(), looks: 2}
			r.OnRead = func(context.Context, api.Revision, api.Revision, error) { ctx.looks-- }
			err := r.Wait(ctx, limit)
			if got := ended(err); got != "late" || !strings.Contains(r.LastProblem(err), test.says) {
				t.Errorf("%s: %s", got, r.LastProblem(err))
			}
		})
	}
	t.Run("never answered", func(t *testing.T) {
		t.Parallel()
		r, _ := follow(t, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		err := r.Wait(ctx, limit)
		if got := ended(err); got != "late" || !strings.Contains(r.LastProblem(err), "did not answer within this time") {
			t.Errorf("%s: %s", got, r.LastProblem(err))
		}
	})
}

// lateContext reaches its deadline after some looks.
type lateContext struct {
	context.Context //nolint:containedctx // It is one.
	looks           int
}

func (c *lateContext) Err() error {
	if c.looks <= 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func TestWait_cancelled(t *testing.T) {
	t.Parallel()
	r, _ := follow(t, map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revision("2a000001-0000-4000-8000-000000000000", "DEPLOYING")}})
	ctx, cancel := context.WithCancel(t.Context())
	r.OnRead = func(context.Context, api.Revision, api.Revision, error) { cancel() }
	if err := r.Wait(ctx, limit); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFailedError_silent(t *testing.T) {
	t.Parallel()
	empty := ""
	for _, message := range []*string{nil, &empty} {
		err := &FailedError{api.Revision{StatusMessage: message}}
		if err.Error() != "The service gives no reason." {
			t.Error(err)
		}
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	type outcome struct{ Failed, InProgress bool }
	failed, pending, neither := outcome{Failed: true}, outcome{InProgress: true}, outcome{}
	for status, want := range map[api.RevisionStatus]outcome{
		"": neither, api.RevisionDeployed: neither, api.RevisionSkipped: failed,
		api.RevisionCreateFailed: failed, api.RevisionBuildFailed: failed, api.RevisionDeployFailed: failed, "FAILED_OVER": failed,
		api.RevisionCreating: pending, api.RevisionQueued: pending, api.RevisionAwaitingBuild: pending, api.RevisionBuilding: pending,
		api.RevisionAwaitingDeploy: pending, api.RevisionDeploying: pending, api.RevisionInterrupted: pending,
		api.RevisionUnknown: pending, "MIGRATING": pending,
	} {
		if diff := cmp.Diff(want, outcome{Failed(status), InProgress(status)}); diff != "" {
			t.Errorf("%q (-want +got):\n%s", status, diff)
		}
	}
}
