package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// asServer makes the test binary run as a dev server, which the tests needn't build then.
const asServer = "BENCH_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve understands the options of a dev server that the benchmark uses.
func serve(args []string) error {
	var cfg devserver.Config
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	_ = flags.String("addr", "", "")
	flags.StringVar(&cfg.Data, "data", "", "")
	flags.StringVar(&cfg.SealKey, "seal-key", "", "")
	flags.Func("api-key", "", func(text string) error {
		value, workspace, _ := strings.Cut(text, "=")
		cfg.Keys = append(cfg.Keys, devserver.Key{Value: value, Workspaces: []string{workspace}})
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	server, err := devserver.New(cfg)
	if err != nil {
		return err
	}
	fmt.Printf("listening on %s\nready\n", httptest.NewServer(server).URL)
	select {} // Until it is killed.
}

// TestMeasureHostile_unraced plays every attack with little weight. Each has a row with measurements of all tasks, none of which may be refused.
func TestMeasureHostile_unraced(t *testing.T) {
	t.Setenv(asServer, "1")
	var out bytes.Buffer
	b := &bench{out: &out, progress: io.Discard, tools: tools{root: "../../.."}}
	little := weights{text: 3000, metadata: 10, runs: 20, trace: 30, prices: 2, strangers: 3, malformed: 40, silent: 2, calm: 20 * time.Millisecond}
	if err := measureHostile(t.Context(), b, os.Args[0], little); err != nil {
		t.Fatal(err)
	}
	for _, c := range hostileCases {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(c.name) + ` +\| +[\d.]+ \| +[1-9]\d* \| +[\d.]+ \| +[\d.]+ \| +[\d.]+ \| +[a-z ]+ \| +0 \| +(met|MISSED) \| +[\d.]+ \| `)
		if !row.MatchString(out.String()) {
			t.Errorf("the output doesn't match %s:\n%s", row, &out)
		}
	}
}

// TestWaits checks when the bound is missed.
func TestWaits(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		longest time.Duration
		refused int
		want    string
	}{
		"met":     {100 * time.Millisecond, 0, "met"},
		"late":    {101 * time.Millisecond, 0, "MISSED"},
		"refused": {time.Millisecond, 1, "MISSED"},
	} {
		w := waits{took: map[string][]time.Duration{"a": {time.Microsecond}, "b": {tc.longest, time.Microsecond}}, refused: tc.refused, late: time.Second}
		cells := strings.Join(w.cells(), " ")
		if !strings.HasPrefix(cells, "3 ") || !strings.HasSuffix(cells, fmt.Sprintf(" b %d %s 1.00", tc.refused, tc.want)) {
			t.Errorf("%s: cells = %s, want %s because of b", name, cells, tc.want)
		}
	}
}
