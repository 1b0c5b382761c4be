package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// starts is the number of times each provider is started.
const starts = 10

// The variable without which a provider refuses to start, according to go-plugin's handshake.
const magicCookie = "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"

// printStartup measures the time until providers listen. A CLI starts a provider several times in each command.
func printStartup(ctx context.Context, b *bench) error {
	t := table{header: []string{"provider", "start (ms)", "program (MB)"}}
	for _, s := range subjects {
		if s.provider == "" {
			continue
		}
		program, err := b.tools.build(ctx, s.provider)
		if err != nil {
			return err
		}
		file, err := os.Stat(program)
		if err != nil {
			return err
		}
		var took []time.Duration
		for range starts {
			d, err := startProvider(ctx, program)
			if err != nil {
				return err
			}
			took = append(took, d)
		}
		t.add(s.name, decimals(median(took).Seconds()*1000, 0), megabytes(file.Size()>>10))
	}
	b.printf("Start of a provider: from the start of its process until it listens, median of %d; size of the program with debug information\n\n%s\n", starts, &t)
	return nil
}

// startProvider starts a provider, waits for the line with its address, and ends it.
func startProvider(ctx context.Context, program string) (took time.Duration, err error) {
	command := exec.CommandContext(ctx, program)
	command.Env = append(environ(os.Environ()), magicCookie, "PLUGIN_PROTOCOL_VERSIONS=6")
	printed, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := command.Start(); err != nil {
		return 0, err
	}
	line, err := bufio.NewReader(printed).ReadString('\n')
	took = time.Since(began)
	if err == nil && !strings.HasPrefix(line, "1|6|") || errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s printed %q instead of the address it listens on", program, line)
	}
	_ = command.Process.Kill()
	_ = command.Wait() // It was killed, which is an error.
	return took, err
}
