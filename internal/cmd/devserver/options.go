package main

import (
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

type options struct {
	addr string
	seed bool
	// insecure lets anybody in who reaches the server.
	insecure bool
	// version asks for the version in place of a server.
	version bool
	// completion is the shell that asks for its completions in place of a server.
	completion string
	config     devserver.Config
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	users, reportDefaults := map[string]string{}, true
	flags := o.flags(users, &reportDefaults)
	flags.SetOutput(stderr)
	flags.Usage = func() { usage(flags) }
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: all options are flags, see -help", flags.Arg(0))
	}
	if err := o.setUsers(users); err != nil {
		return o, err
	}
	o.config.EchoResourceSpec = !reportDefaults
	if o.seed && len(o.config.Keys) == 0 {
		// Nobody can guess it, and the lines that are printed have it.
		o.config.Keys = []devserver.Key{{Value: rand.Text(), Workspaces: []string{devserver.DefaultWorkspaceID}}}
	}
	return o, nil
}

// flags are what the command takes, and sets the options from them.
func (o *options) flags(users map[string]string, reportDefaults *bool) *flag.FlagSet {
	flags := flag.NewFlagSet("devserver", flag.ContinueOnError)
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8124", "`host:port` to listen on; port 0 picks a free one")
	flags.Func("host", "answer for this `name` in the Host header, besides localhost and IP addresses; repeat it for more names",
		func(name string) error { o.config.Hosts = append(o.config.Hosts, name); return nil })
	flags.BoolVar(&o.insecure, "insecure", false, "let other machines in without an API key")
	flags.StringVar(&o.config.Data, "data", "", "`path` of the SQLite file; without it everything is in memory")
	flags.Func("dialect", "speak and behave like the service of this `name`: neutral (default) or langsmith", o.config.SetDialect)
	flags.DurationVar(&o.config.Rollout, "rollout", 0, "`time` from the creation of a revision to DEPLOYED")
	flags.BoolVar(&o.config.MaskSecrets, "mask-secrets", false, "answer secret values masked")
	flags.BoolVar(reportDefaults, "report-defaults", true, "answer resource_spec with the documented defaults filled in")
	flags.BoolVar(&o.config.DevAPI, "dev-api", false, "serve /dev: pushes, faults, requests seen")
	flags.BoolVar(&o.version, "version", false, "print the version and exit")
	flags.Func("completion", "print what makes a `shell` complete these options, and exit: bash, fish or zsh",
		func(name string) (err error) { o.completion, err = parseShell(name); return err })
	flags.BoolVar(&o.seed, "seed", false, "register a listener and an integration with repositories and print export lines for a shell")
	flags.Func("api-key", "accept `KEY=workspace[,workspace]`; repeat it for more keys; without it any key is accepted "+
		"(with -seed: a random one)", o.addKey)
	flags.Func("user", "the key of -api-key belongs to a user: `KEY=user`; repeat it for more keys; tokens and connections belong to "+
		"users, and keys without one have one user together", func(value string) error { return addUser(users, value) })
	return flags
}

// usage prints what there is to choose, and what can't be chosen.
func usage(flags *flag.FlagSet) {
	out := flags.Output()
	fmt.Fprintln(out, "Usage of devserver:")
	flags.PrintDefaults()
	fmt.Fprintln(out, "Bounds, and the status of what is beyond them:")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, bound := range devserver.Bounds() {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", bound.What, bound.Most, bound.Beyond)
	}
	_ = table.Flush() // There is nobody to tell.
}

func (o *options) addKey(value string) error {
	// A key may contain an equals sign, a workspace id may not.
	at := strings.LastIndex(value, "=")
	if at < 1 || at == len(value)-1 {
		return errors.New("want KEY=workspace[,workspace]")
	}
	o.config.Keys = append(o.config.Keys, devserver.Key{
		Value:      value[:at],
		Workspaces: strings.Split(value[at+1:], ","),
	})
	return nil
}

func addUser(users map[string]string, value string) error {
	at := strings.LastIndex(value, "=")
	if at < 1 || at == len(value)-1 {
		return errors.New("want KEY=user")
	}
	users[value[:at]] = value[at+1:]
	return nil
}

// setUsers never puts a key into its error.
func (o *options) setUsers(users map[string]string) error {
	for i, key := range o.config.Keys {
		o.config.Keys[i].User = users[key.Value]
		delete(users, key.Value)
	}
	for _, user := range users {
		return fmt.Errorf("-user names a key of user %q that no -api-key accepts: use the same key in both", user)
	}
	return nil
}
