package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// addBeside adds the times of control-plane requests during a long query.
func (l *loaded) addBeside(ctx context.Context, b *bench, asked *table, other, when string) error {
	fmt.Fprintln(b.progress, "beside", other)
	for _, q := range l.questions() {
		if !strings.HasSuffix(q.name, other) {
			continue
		}
		reads, writes, err := l.beside(ctx, q)
		if err != nil {
			return err
		}
		asked.add(append([]string{fmt.Sprintf("deployment, beside %s, %s", q.name, when)}, quantiles(reads)...)...)
		asked.add(append([]string{fmt.Sprintf("change of a deployment, beside %s, %s", q.name, when)}, quantiles(writes)...)...)
	}
	return nil
}

// beside reads and changes a deployment repeatedly during a query: until it is answered, and then until there are enough
// measurements.
func (l *loaded) beside(ctx context.Context, other question) (reads, writes []time.Duration, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	answered, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := l.times(ctx, other, 1)
		close(answered)
		for err == nil && ctx.Err() == nil {
			_, err = l.times(ctx, other, 1)
		}
		if ctx.Err() != nil {
			err = nil // It was told to stop.
		}
		ended <- err
	}()
	first := answered
	for n := 0; err == nil && (n < l.amounts.asked || first != nil); n++ {
		var read, write []time.Duration
		read, err = l.times(ctx, question{method: http.MethodGet, path: "/v2/deployments/" + l.deployment}, 10)
		if err == nil {
			change := object{"source_revision_config": image(n)}
			write, err = l.times(ctx, question{method: http.MethodPatch, path: "/v2/deployments/" + l.deployment, body: change}, 1)
		}
		reads, writes = append(reads, read...), append(writes, write...)
		select {
		case <-first:
			first = nil
		default:
		}
	}
	stop()
	return reads, writes, errors.Join(err, <-ended)
}
