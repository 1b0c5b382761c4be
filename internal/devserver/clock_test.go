package devserver_test

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// shownClock is what the server says about its clock.
type shownClock struct {
	Now   time.Time `json:"now"`
	Ahead string    `json:"ahead"`
}

func wantClock(t *testing.T, got shownClock, ahead time.Duration) {
	t.Helper()
	if want := devservertest.Start.Add(ahead); !got.Now.Equal(want) || got.Ahead != ahead.String() {
		t.Errorf("the clock shows %s, %s ahead; want %s, %s ahead", got.Now, got.Ahead, want, ahead)
	}
}

// TestAdvanceClock lets a rollout end, and traces become too old, without waiting. The next server with this data goes on from there.
func TestAdvanceClock(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "plane.db")
	cfg := devservertest.Stored(t, devserver.Config{Data: data, Rollout: time.Hour, Retain: 30 * 24 * time.Hour})
	p := devservertest.New(t, cfg)
	wantClock(t, devservertest.Get[shownClock](p, "/dev/clock"), 0)
	id := devservertest.Into[api.Deployment](p.Do(http.MethodPost, "/v2/deployments", devservertest.ImageRequest("chat")).Want(http.StatusCreated)).ID
	run := logRuns(t, p, "old", 1, devservertest.Start)[0]
	status := func() api.DeploymentStatus { return devservertest.Get[api.Deployment](p, "/v2/deployments/"+id).Status }
	if got := status(); got == api.DeploymentReady {
		t.Errorf("status = %s before the clock was advanced", got)
	}
	advance := func(by string) shownClock {
		return devservertest.Into[shownClock](p.Do(http.MethodPost, "/dev/clock", object{"advance": by}).Want(http.StatusOK))
	}
	wantClock(t, advance("1h0m0.5s"), time.Hour+time.Second/2)
	devservertest.Same(t, "status", api.DeploymentReady, status())
	p.Do(http.MethodGet, "/runs/"+run, nil).Want(http.StatusOK)
	const ahead = 721*time.Hour + time.Second/2
	wantClock(t, advance("720h"), ahead)
	for began := time.Now(); p.Do(http.MethodGet, "/runs/"+run, nil).Status != http.StatusNotFound; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute/2 {
			t.Fatal("a trace that is too old is not deleted")
		}
	}
	p.Stop()
	wantClock(t, devservertest.Get[shownClock](devservertest.New(t, cfg), "/dev/clock"), ahead)
}

func TestAdvanceClock_refused(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	p.Do(http.MethodPost, "/dev/clock", object{"advance": "1h"}).Want(http.StatusOK)
	for body, detail := range map[string]string{
		`{}`:                             `advance = "" is not a positive duration, such as "90s" or "720h".`,
		`{"advance": "soon"}`:            `advance = "soon" is not a positive duration, such as "90s" or "720h".`,
		`{"advance": "1ns"}`:             `advance = "1ns" is not a positive duration, such as "90s" or "720h".`,
		`{"advance": "-1s"}`:             `advance = "-1s" is not a positive duration, such as "90s" or "720h".`,
		`{"advance": "1h", "by": "you"}`: `Invalid step of the clock: json: unknown field "by"`,
		`{"advance": "87600h"}`:          `advance = "87600h" is more than is left of 87600h0m0s, which the clock can be advanced by in all: 87599h0m0s.`,
	} {
		p.Do(http.MethodPost, "/dev/clock", body).Want(http.StatusBadRequest).WantDetail(detail)
	}
	wantClock(t, devservertest.Get[shownClock](p, "/dev/clock"), time.Hour)
}

// TestClockSetBack sets the clock back by two hours, while a server runs and between two servers: a rollout takes as long as always.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	clock := devserver.NewManualClock(devservertest.Start)
	cfg := devservertest.Stored(t, devserver.Config{
		Data: filepath.Join(t.TempDir(), "plane.db"), Clock: clock, Rollout: time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	p := devservertest.New(t, cfg)
	status := func(id string) api.RevisionStatus { return p.Revisions(id)[0] }
	check := func(id string, left time.Duration) {
		t.Helper()
		clock.Advance(left - time.Second)
		if got := status(id); got == api.RevisionDeployed {
			t.Errorf("status = %s before the rollout can have ended", got)
		}
		clock.Advance(time.Second)
		if got := status(id); got != api.RevisionDeployed {
			t.Errorf("status = %s when the rollout should have ended, want %s", got, api.RevisionDeployed)
		}
	}
	wantLogged := func(times int) {
		t.Helper()
		log.mu.Lock()
		defer log.mu.Unlock()
		if got := strings.Count(log.buf.String(), "the clock was set back"); got != times {
			t.Errorf("logged %d times that the clock was set back, want %d: %s", got, times, &log.buf)
		}
	}
	first := p.Create(devservertest.ImageRequest("first"))
	clock.Advance(20 * time.Second)
	status(first.ID)
	clock.Advance(-2 * time.Hour)
	status(first.ID)
	check(first.ID, 40*time.Second)
	wantLogged(1)
	second := p.Create(devservertest.ImageRequest("second"))
	if earlier, later := created(t, first), created(t, second); !later.After(earlier) {
		t.Errorf("the second deployment is from %s, the first from %s", later, earlier)
	}
	p.Stop()
	p = devservertest.New(t, cfg) // Its clock is two hours behind what the first server has stored.
	check(second.ID, time.Minute)
	wantLogged(2)
}

func created(t *testing.T, d api.Deployment) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, d.CreatedAt)
	devservertest.Must(t, err)
	return at
}
