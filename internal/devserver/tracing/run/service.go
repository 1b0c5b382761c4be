package run

import (
	"context"
	"math"
	"runtime"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/price"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/turns"
)

// Kind is what clients log.
type Kind int

// The kinds.
const (
	Runs Kind = iota
	Spans
)

// Service logs runs and answers queries of them.
type Service struct {
	Prices price.Service
	// MaxBytes is what a workspace may take in the database before its runs and examples are refused; zero means no limit.
	MaxBytes int64
	// Logged is called with what was stored of a request that logs runs, and what was refused.
	Logged func(kind Kind, stored, refused int)

	store  *store.Store
	write  func(context.Context, store.Expected, func(*store.Tx) error) error // store.DoGrouped.
	now    func() time.Time
	memory *limits.Memory
	// derivations are the requests that are derived at the same time. Each workspace leaves processors to the others.
	derivations *turns.Turns
}

// New returns a service on a database, which shares the memory limit for bodies with other services.
func New(db *store.Store, now func() time.Time, memory *limits.Memory) *Service {
	return &Service{
		Logged: func(Kind, int, int) {}, store: db, write: db.DoGrouped, now: now, memory: memory,
		derivations: turns.New(math.MaxInt, (runtime.GOMAXPROCS(0)+1)/2),
	}
}
