package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// version is set by the linker.
var version = "dev"

// grace is how long requests may take to end after a signal.
const grace = 5 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "devserver:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	opts, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	if opts.version {
		_, err := fmt.Fprintln(stdout, version)
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	opts.config.Logger = log
	server, err := devserver.New(opts.config) //nolint:contextcheck // Opening is not to be cancelled halfway.
	if err != nil {
		return err
	}
	defer server.Close()
	listener, err := net.Listen("tcp", opts.addr)
	if err != nil {
		return err
	}
	warnIfExposed(log, listener.Addr())

	web := &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second}
	web.RegisterOnShutdown(server.EndStreams)
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	if err := announce(ctx, stdout, server, opts, baseURL(listener.Addr())); err != nil {
		return errors.Join(err, web.Close())
	}
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	log.Info("shutting down")
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return web.Shutdown(ending)
}

// warnIfExposed speaks up when other machines can reach the server: it holds secrets and anyone may know its key.
func warnIfExposed(log *slog.Logger, addr net.Addr) {
	if tcp, is := addr.(*net.TCPAddr); is && !tcp.IP.IsLoopback() {
		log.Warn("other machines can reach this server; use -addr 127.0.0.1:PORT to keep it to yourself", "addr", addr)
	}
}

// baseURL is how this machine reaches the listener.
func baseURL(addr net.Addr) string {
	tcp, is := addr.(*net.TCPAddr)
	if is && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + addr.String()
}
