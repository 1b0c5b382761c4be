package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// backupUsage is the form of the subcommand that copies a file while a server uses it.
const backupUsage = "devserver backup [-with-key] [-seal-key FILE] FILE TO"

// runBackup copies a data file, and says which key it needs.
func runBackup(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("devserver backup", flag.ContinueOnError)
	flags.SetOutput(stderr)
	withKey := flags.Bool("with-key", false, "copy the key that encrypts secrets, too, beside the copy")
	sealKey := flags.String("seal-key", "", "`path` of the file with that key; without it, beside the file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return errors.New("want " + backupUsage)
	}
	path, to := flags.Arg(0), flags.Arg(1)
	key := cmp.Or(*sealKey, path+"-key")
	copied := ""
	if *withKey {
		copied = key
	}
	err := devserver.Backup(ctx, path, to, copied)
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("the backup was interrupted, and nothing was left: run the same command again")
	case err != nil:
		return err
	case *withKey:
		_, err = fmt.Fprintf(stdout, "The backup is complete, with its key in %s-key.\n", to)
		return err
	}
	if _, err := os.Stat(key); err != nil {
		_, err = fmt.Fprintf(stdout, "The backup is complete. There is no key in %s: keep a copy of the file that the server has as -seal-key.\n", key)
		return err
	}
	_, err = fmt.Fprintf(stdout, "The backup is complete. Its secrets need the key in %s: keep a copy of that file, in another place.\n", key)
	return err
}
