package main

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

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
