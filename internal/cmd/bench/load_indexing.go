package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// What the index for text searches may cost: time to log runs, and space in the file.
const (
	mostSlower = 1.15
	mostLarger = 1.40
)

// indexingRounds is how often runs are logged with and without the index, alternately.
const indexingRounds = 5

// prose is what users and models say in these runs, a few sentences at a time.
//
//go:embed README.md
var prose string

// variant is a server with or without the index, with what logging has taken so far.
type variant struct {
	name       string
	config     devserver.Config
	took, used time.Duration
}

// printIndexing compares servers with and without the index, of which only one runs at a time.
func (l *loaded) printIndexing(ctx context.Context, b *bench) (err error) {
	dir, err := os.MkdirTemp("", "agentplane-load-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	indexed := &variant{name: "with the search index", config: devserver.Config{Data: filepath.Join(dir, "indexed.db")}}
	plain := &variant{name: "without it", config: devserver.Config{Data: filepath.Join(dir, "plain.db"), NoSearchIndex: true}}
	each := max(1, l.amounts.ingested/indexingRounds)
	for round := range indexingRounds {
		order := []*variant{indexed, plain}
		if round%2 == 1 {
			order = []*variant{plain, indexed}
		}
		for _, v := range order {
			fmt.Fprintf(b.progress, "%d runs %s\n", each, v.name)
			if err := l.logTexts(ctx, v, each); err != nil {
				return err
			}
		}
	}
	t := table{header: []string{"runs", "a second", "CPU of server and client (µs a run)", "bytes a run"}}
	amount := each * indexingRounds
	for _, v := range []*variant{indexed, plain} {
		t.add(v.name, decimals(float64(amount)/v.took.Seconds(), 0), strconv.FormatInt(v.used.Microseconds()/int64(amount), 10),
			strconv.FormatInt(sizeOf(v.config.Data)/int64(amount), 10))
	}
	slower, larger := ratio(indexed.took, plain.took), float64(sizeOf(indexed.config.Data))/float64(sizeOf(plain.config.Data))
	t.add("with, compared with without", "time × "+decimals(slower, 2)+", "+within(slower, mostSlower), "× "+decimals(ratio(indexed.used, plain.used), 2),
		"× "+decimals(larger, 2)+", "+within(larger, mostLarger))
	b.printf("Dev server, load: the cost of the search index, with %d runs of 60 words; at most × %.2f and × %.2f. CPU time includes what the server does in "+
		"the background\n\n%s\n", amount, mostSlower, mostLarger, &t)
	return nil
}

func within(measured, most float64) string {
	if measured > most {
		return "MISSED"
	}
	return "met"
}

// logTexts logs runs with texts to a server, and waits until it has indexed them.
func (l *loaded) logTexts(ctx context.Context, v *variant, amount int) (err error) {
	p, err := openPlane(ctx, v.config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	words, random := strings.Fields(prose), rand.New(rand.NewPCG(uint64(v.took), 1)) //nolint:gosec // It only picks words.
	say := func() string {
		from := random.IntN(len(words) - 30)
		return strings.Join(words[from:from+30], " ")
	}
	before, began := ownCPU(), time.Now()
	for logged := 0; logged < amount; logged += batch {
		var posts []object
		for len(posts) < min(batch, amount-logged) {
			run := aRun(uuid.NewString(), time.Now(), "texts", say())
			run["outputs"] = object{"content": say(), "usage_metadata": object{"input_tokens": 12, "output_tokens": 3, "total_tokens": 15}}
			posts = append(posts, run)
		}
		if err := p.call(ctx, http.MethodPost, "/runs/batch", object{"post": posts}, nil); err != nil {
			return err
		}
	}
	v.took += time.Since(began)
	if err := l.idle(ctx); err != nil {
		return err
	}
	v.used += ownCPU() - before
	return nil
}
