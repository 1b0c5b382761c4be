package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	_ "golang.org/x/crypto/x509roots/fallback" // To trust OAuth providers in images without certificates.

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// version is set by the linker in releases.
var version = "dev"

// versionOf returns the version of a release, or of the module that go install built.
func versionOf(build *debug.BuildInfo, known bool) string {
	if version == "dev" && known && build.Main.Version != "" && build.Main.Version != "(devel)" {
		return strings.TrimPrefix(build.Main.Version, "v")
	}
	return version
}

func main() {
	ctx, stop := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		stop()
		<-signals // Whoever asks twice doesn't want to wait. What was acknowledged is stored.
		os.Exit(0)
	}()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "devserver:", err)
		os.Exit(1)
	}
}

// run runs a subcommand, or serves until ctx is done.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if is, err := runCommand(ctx, args, stdout, stderr); is {
		return err
	}
	opts, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	switch {
	case opts.version:
		_, err := fmt.Fprintln(stdout, versionOf(debug.ReadBuildInfo()))
		return err
	case opts.limits:
		return writeLimits(stdout)
	case opts.completion != "":
		command := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
		return writeCompletion(stdout, opts.completion, command, new(options).flags(nil, new(bool)))
	}
	log := opts.log.logger(stderr)
	opts.config.Logger, opts.config.Version = log, versionOf(debug.ReadBuildInfo())
	listener, err := net.Listen("tcp", opts.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	if err := checkExposure(log, opts, listener.Addr()); err != nil {
		return err
	}
	var metrics net.Listener
	if opts.metrics != "" {
		if metrics, err = listenForMetrics(log, opts.metrics); err != nil {
			return err
		}
		defer metrics.Close()
	}
	opts.config.Address = opts.baseURL(listener.Addr())
	server, err := devserver.New(opts.config) //nolint:contextcheck // Opening must not be cancelled halfway.
	if err != nil {
		return err
	}
	defer server.Close()
	if err := announce(ctx, stdout, server, opts, opts.config.Address); err != nil {
		return err
	}
	return serve(ctx, server, listener, metrics)
}

// serve serves until ctx is done, and metrics, if there is a listener for them, until everything else has ended.
func serve(ctx context.Context, server *devserver.Server, listener, metrics net.Listener) error {
	if metrics == nil {
		return server.Serve(ctx, listener)
	}
	measured, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- server.ServeMetrics(measured, metrics) }()
	err := server.Serve(ctx, listener)
	stop()
	return errors.Join(err, <-ended)
}

// listenForMetrics warns if other machines can read the metrics.
func listenForMetrics(log *slog.Logger, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	log.Info("metrics are served", "url", "http://"+listener.Addr().String()+"/metrics")
	if tcp, is := listener.Addr().(*net.TCPAddr); is && !tcp.IP.IsLoopback() {
		log.Warn("other machines can read the metrics; use -metrics 127.0.0.1:PORT to restrict them to this machine", "addr", listener.Addr())
	}
	return listener, nil
}

// checkExposure refuses to make the server's data, secrets included, accessible to anyone on other machines.
func checkExposure(log *slog.Logger, o options, addr net.Addr) error {
	tcp, is := addr.(*net.TCPAddr)
	if !is || tcp.IP.IsLoopback() && len(o.config.Proxies) == 0 {
		return nil
	}
	if len(o.config.Keys) == 0 && !o.config.OwnKey && !o.insecure {
		return fmt.Errorf("other machines can reach %s, directly or through a proxy, but there is no API key: use -api-key, "+
			"-seed (which generates one), -addr 127.0.0.1:%d without -trusted-proxies, or -insecure", addr, tcp.Port)
	}
	if tcp.IP.IsLoopback() {
		return nil
	}
	log.Warn("other machines can reach this server; use -addr 127.0.0.1:PORT to restrict it to this machine", "addr", addr)
	return nil
}

// baseURL is the URL of the listener on this machine.
func (o options) baseURL(addr net.Addr) string {
	scheme := "http://"
	if o.config.TLSCert != "" {
		scheme = "https://"
	}
	tcp, is := addr.(*net.TCPAddr)
	if is && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("%s127.0.0.1:%d", scheme, tcp.Port)
	}
	return scheme + addr.String()
}
