package devserver

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestReadinessInTime checks that a database that doesn't answer is asked once, however many probes wait, and that none waits long.
func TestReadinessInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		answer := make(chan error)
		q := readiness{ask: func(context.Context) error {
			asked.Add(1)
			return <-answer
		}}
		for range 3 {
			began := time.Now()
			first := make(chan error)
			go func() { first <- q.check() }()
			if err := q.check(); !errors.Is(err, errNoAnswer) {
				t.Errorf("error = %v, want %v", err, errNoAnswer)
			}
			if err := <-first; !errors.Is(err, errNoAnswer) {
				t.Errorf("error = %v, want %v", err, errNoAnswer)
			}
			if took := time.Since(began); took != limits.ReadyTime {
				t.Errorf("the answer took %s, want %s", took, limits.ReadyTime)
			}
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("the database was asked %d times, want once", n)
		}
		answer <- nil
		synctest.Wait()
		go func() { answer <- store.ErrUnavailable }()
		if err := q.check(); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("error = %v, want that of a new question", err)
		}
	})
}

// TestReadyAfterFullDisk checks that a server that has found the disk full isn't ready, and that it finds out by itself when there is space.
func TestReadyAfterFullDisk(t *testing.T) {
	t.Parallel()
	s, err := New(Config{})
	assert.Must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	if err := s.rest.Store.Do(t.Context(), func(*store.Tx) error { return store.ErrFull }); !errors.Is(err, store.ErrFull) {
		t.Fatalf("error = %v, want ErrFull", err)
	}
	if err := s.readiness.check(); !errors.Is(err, store.ErrFull) {
		t.Errorf("error = %v, want ErrFull", err)
	}
	for s.readiness.check() != nil {
		time.Sleep(limits.FullTime / 100)
	}
}

func TestUnreadyReason(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		errNoAnswer: "The database does not answer.", context.DeadlineExceeded: "The database does not answer.",
		errors.Join(store.ErrUnavailable, errors.New("password=hush")): "The database is not available.",
		store.ErrFull: "The disk is full.", store.ErrDamaged: "The data file is damaged.", errors.New("password=hush"): "The data can't be used.",
	} {
		assert.Same(t, fmt.Sprintf("reason of %v", err), want, unreadyReason(err))
	}
}
