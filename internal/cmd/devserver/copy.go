package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// copyUsage is the form of the subcommand that copies a file.
const copyUsage = "devserver copy -from FILE -to postgres://…"

// runCopy copies a data file into a PostgreSQL database.
func runCopy(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("devserver copy", flag.ContinueOnError)
	flags.SetOutput(stderr)
	from := flags.String("from", "", "`path` of the SQLite file, which no server uses")
	to := flags.String("to", "", "address of the PostgreSQL `database`, which has no rows: postgres://…, or postgres: for what the PG* variables say")
	key := flags.String("seal-key", "", "`path` of the file with the key that encrypts secrets in the file; without it, beside the file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *from == "" || *to == "" || flags.NArg() > 0 {
		return errors.New("want " + copyUsage)
	}
	// A closed output shouldn't end a copy that takes long.
	err := devserver.Copy(ctx, *from, *to, *key, func(c devserver.Copied) {
		fmt.Fprintf(stdout, "%s: %d of %d rows\n", c.Table, c.Rows, c.All)
	})
	if errors.Is(err, context.Canceled) {
		return errors.New("the copy was interrupted: run the same command again to go on")
	}
	if err == nil {
		_, err = fmt.Fprintf(stdout, "The copy is complete. Secrets in it stay encrypted: start servers with -seal-key and the file %s.\n", cmp.Or(*key, *from+"-key"))
	}
	return err
}
