package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// command is a subcommand, which works with a data file and serves nothing.
type command struct {
	does string
	run  func(ctx context.Context, path string, stdout io.Writer) error
}

var commands = map[string]command{
	"compact": {"rewrite a data file that no server uses, without its free space", compact},
}

// runCommand runs the subcommand that the arguments start with, if any.
func runCommand(ctx context.Context, args []string, stdout, stderr io.Writer) (is bool, err error) {
	if len(args) == 0 {
		return false, nil
	}
	c, is := commands[args[0]]
	if !is {
		return false, nil
	}
	flags := flag.NewFlagSet("devserver "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	path := flags.String("data", "", "`path` of the SQLite file")
	if err := flags.Parse(args[1:]); err != nil {
		return true, err
	}
	if *path == "" || flags.NArg() > 0 {
		return true, errors.New("want devserver " + args[0] + " -data FILE")
	}
	return true, c.run(ctx, *path, stdout)
}

func compact(ctx context.Context, path string, stdout io.Writer) error {
	before, after, err := devserver.Compact(ctx, path)
	if err == nil {
		_, err = fmt.Fprintf(stdout, "%s: %d bytes before, %d bytes now\n", path, before, after)
	}
	return err
}
