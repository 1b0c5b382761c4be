package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// command is a subcommand, which works with a data file and serves nothing.
type command struct {
	does string
	run  func(ctx context.Context, path string, stdout io.Writer) error
}

var commands = map[string]command{
	"compact": {"rewrite a data file that no server uses, without its free space", compact},
	"stats":   {"print what takes how much in a data file, also of a running server", stats},
}

// runCommand runs the subcommand that the arguments start with, if any.
func runCommand(ctx context.Context, args []string, stdout, stderr io.Writer) (is bool, err error) {
	if len(args) == 0 {
		return false, nil
	}
	switch args[0] {
	case "backup":
		return true, runBackup(ctx, args[1:], stdout, stderr)
	case "check":
		return true, runCheck(ctx, args[1:], stdout)
	case "copy":
		return true, runCopy(ctx, args[1:], stdout, stderr)
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

// checkUsage is the form of the subcommand that checks a file.
const checkUsage = "devserver check FILE"

// runCheck reports whether a data file is sound.
func runCheck(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) != 1 || strings.HasPrefix(args[0], "-") {
		return errors.New("want " + checkUsage)
	}
	err := devserver.Check(ctx, args[0])
	if err == nil {
		_, err = fmt.Fprintf(stdout, "%s is sound\n", args[0])
	}
	return err
}

func compact(ctx context.Context, path string, stdout io.Writer) error {
	before, after, err := devserver.Compact(ctx, path)
	if err == nil {
		_, err = fmt.Fprintf(stdout, "%s: %d bytes before, %d bytes now\n", path, before, after)
	}
	return err
}

func stats(ctx context.Context, path string, stdout io.Writer) error {
	s, err := devserver.Stats(ctx, path)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range []struct {
		what  string
		bytes int64
	}{
		{"runs", s.Runs}, {"bodies", s.Bodies}, {"labels", s.Labels}, {"attachments", s.Attachments}, {"indexes", s.Indexes}, {"everything else", s.Other},
		{"free", s.Free}, {"file", s.Size}, {"write-ahead log", s.Log},
	} {
		fmt.Fprintf(table, "%s\t%s\t\n", row.what, mebibytes(row.bytes))
	}
	fmt.Fprintln(table)
	fmt.Fprintln(table, "runs\ttheir rows\tbodies\tlabels\tattachments\t  project")
	workspace := ""
	for _, p := range s.Projects {
		if p.WorkspaceID != workspace {
			workspace = p.WorkspaceID
			fmt.Fprintf(table, "\t\t\t\t\t  workspace %s:\n", workspace)
		}
		name := p.Name
		if p.Deleted {
			name = "(being deleted)"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t  %s\n", p.Runs, mebibytes(p.Rows), mebibytes(p.Bodies), mebibytes(p.Labels), mebibytes(p.Attachments), name)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprint(stdout, "\nSizes in MiB. Those of projects are estimates, and include their parts of indexes.\n")
	return err
}

// mebibytes is a number of bytes in MiB.
func mebibytes(n int64) string { return fmt.Sprintf("%.2f", float64(n)/(1<<20)) }
