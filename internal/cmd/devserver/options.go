package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

type options struct {
	addr string
	seed bool
	// fixtures are registered before the server is ready.
	fixtures *devserver.Fixtures
	// insecure allows access without authentication.
	insecure bool
	// version prints the version instead of starting a server.
	version bool
	// limits prints the limits instead of starting a server.
	limits bool
	// completion is the shell to print the completion script for, instead of starting a server.
	completion string
	log        logOptions
	// metrics is the address for Prometheus; empty for none.
	metrics string
	config  devserver.Config
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
	if o.fixtures != nil {
		o.config.Keys = append(o.config.Keys, o.fixtures.Keys...)
	}
	o.config.OwnKey = o.seed
	return o, nil
}

// flags defines the command's flags, which set the options.
func (o *options) flags(users map[string]string, reportDefaults *bool) *flag.FlagSet {
	flags := flag.NewFlagSet("devserver", flag.ContinueOnError)
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8124", "`host:port` to listen on; port 0 picks a free one")
	flags.Func("host", "accept this `name` in the Host header, in addition to localhost and IP addresses; repeatable",
		func(name string) error { o.config.Hosts = append(o.config.Hosts, name); return nil })
	flags.StringVar(&o.config.TLSCert, "tls-cert", "", "`path` of the certificate for HTTPS, followed by those of its authorities; it is read again when it "+
		"changes")
	flags.StringVar(&o.config.TLSKey, "tls-key", "", "`path` of the key of -tls-cert")
	flags.Func("trusted-proxies", "believe X-Forwarded-For, -Proto and -Host, and X-Request-Id, of these `networks`, such as 10.0.0.0/8,127.0.0.1",
		o.config.SetProxies)
	flags.BoolVar(&o.insecure, "insecure", false, "let other machines connect without an API key")
	flags.StringVar(&o.config.Data, "data", "", "`path` of the SQLite file, or the address of a PostgreSQL database: postgres://…, or postgres: "+
		"for what the PG* variables say; without it, all data is deleted when the server stops")
	flags.StringVar(&o.config.SealKey, "seal-key", "", "`path` of the file with the key that encrypts secrets in -data, which is created unless "+
		"something is encrypted already; without it, beside the SQLite file")
	flags.BoolVar(&o.config.DiscardSecrets, "discard-secrets", false,
		"delete the tokens and secrets in -data that its key doesn't decrypt, instead of refusing to start")
	flags.Func("retain", "delete traces that began longer than this `time` ago, such as 30d or 12h; without it, all are kept", o.setRetain)
	flags.Func("max-bytes", "refuse runs and examples of workspaces that take this `size` in the database, such as 500MiB or 2GiB; without it, none are refused",
		o.setMaxBytes)
	flags.Func("dialect", "`name` of the dialect to serve: neutral (default) or langsmith", o.config.SetDialect)
	flags.DurationVar(&o.config.Rollout, "rollout", 0, "`time` from the creation of a revision until it is DEPLOYED")
	flags.DurationVar(&o.config.Lag, "lag", 0, "show deployments, revisions, listeners and integrations as they were this `time` ago")
	flags.DurationVar(&o.config.ClockSkew, "clock-skew", 0, "`time` by which the server's clock is fast; negative: slow")
	flags.DurationVar(&o.config.DrainDelay, "drain-delay", 0, "`time` after SIGTERM in which new connections are accepted, although /readyz says 503")
	flags.BoolVar(&o.config.MaskSecrets, "mask-secrets", false, "mask secret values in responses")
	flags.BoolVar(reportDefaults, "report-defaults", true, "fill in the documented defaults of resource_spec in responses")
	flags.StringVar(&o.config.Registry, "registry", "", "`host:port` of a container registry to which clients push images of internal_docker deployments")
	flags.BoolVar(&o.config.NoDefaultPrices, "no-default-prices", false, "price runs only from the price map of their workspace")
	flags.BoolVar(&o.config.AllowLoopback, "allow-loopback", false, "request URLs on this machine for OAuth providers, also with API keys or PostgreSQL")
	flags.BoolVar(&o.config.DevAPI, "dev-api", false, "serve /dev: simulated pushes, faults, request log")
	flags.Func("metrics", "serve metrics for Prometheus at /metrics of another `host:port`, by default on 127.0.0.1; without it, there are none", o.setMetrics)
	flags.Func("log-level", "log messages of this `level` and above: debug, access (default: one line for each request), info, warn or error", o.log.setLevel)
	flags.Func("log-format", "`format` of the log: text (default) or json", o.log.setFormat)
	flags.BoolVar(&o.version, "version", false, "print the version and exit")
	flags.BoolVar(&o.limits, "limits", false, "print the limits, and what happens beyond them, and exit")
	flags.Func("completion", "print the completion script for a `shell` and exit: bash, fish or zsh",
		func(name string) (err error) { o.completion, err = parseShell(name); return err })
	flags.Func("fixtures", "register the objects and keys in a JSON `file`", o.readFixtures)
	flags.BoolVar(&o.seed, "seed", false, "register two listeners, an integration with repositories and an OAuth provider, "+
		"log sample runs, and print export commands for a shell")
	flags.Func("api-key", "accept `KEY=workspace[,workspace]`; repeatable; without it, any key is accepted "+
		"(with -seed: only a generated one)", o.addKey)
	flags.Func("user", "assign a key of -api-key to a user: `KEY=user`; repeatable; tokens and connections belong to "+
		"users, and keys without a user share one", func(value string) error { return addUser(users, value) })
	return flags
}

// usage prints the options and commands.
func usage(flags *flag.FlagSet) {
	out := flags.Output()
	fmt.Fprintln(out, "Usage of devserver:")
	flags.PrintDefaults()
	fmt.Fprintln(out, "Other commands:")
	fmt.Fprintf(out, "  %s\n    \tcopy a data file that no server uses into a PostgreSQL database; run again, it goes on where it was interrupted\n", copyUsage)
	fmt.Fprintf(out, "  %s\n    \tcopy a data file, also of a running server; -with-key copies the key of its secrets, too\n", backupUsage)
	fmt.Fprintf(out, "  %s\n    \tsay whether a data file is sound, also of a running server\n", checkUsage)
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		fmt.Fprintf(out, "  devserver %s -data FILE\n    \t%s\n", name, commands[name].does)
	}
}

// writeLimits prints the limits as a table.
func writeLimits(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WHAT\tAT MOST\tBEYOND")
	for _, bound := range devserver.Bounds() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", bound.What, bound.Most, bound.Beyond)
	}
	return table.Flush()
}

// setMetrics accepts other machines only if an address of this one is named.
func (o *options) setMetrics(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("want host:port, such as 127.0.0.1:9090 or :9090: %w", err)
	}
	o.metrics = net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port)
	return nil
}

// setRetain parses a duration that may be a number of days.
func (o *options) setRetain(value string) (err error) {
	days, inDays := strings.CutSuffix(value, "d")
	if !inDays {
		o.config.Retain, err = time.ParseDuration(value)
		return err
	}
	n, err := strconv.Atoi(days)
	if err != nil || n < 0 || n > 36500 {
		return errors.New("want a number of days, such as 30d, or a duration, such as 12h")
	}
	o.config.Retain = time.Duration(n) * 24 * time.Hour
	return nil
}

// setMaxBytes parses a number of bytes, which may have a unit.
func (o *options) setMaxBytes(value string) error {
	number, shift := value, 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if before, has := strings.CutSuffix(value, unit); has {
			number, shift = before, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64>>shift {
		return errors.New("want a size, such as 500MiB or 2GiB")
	}
	o.config.MaxBytes = n << shift
	return nil
}

func (o *options) readFixtures(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	o.fixtures, err = devserver.ReadFixtures(file)
	return err
}

func (o *options) addKey(value string) error {
	// A key may contain an equals sign, but a workspace ID can't.
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
		return fmt.Errorf("the key that -user assigns to user %q is not a key of -api-key: use the same key in both", user)
	}
	return nil
}
