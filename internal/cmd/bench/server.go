package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// process is a dev server in a process of its own, whose memory contains nothing of its clients.
type process struct {
	command *exec.Cmd
	url     string
}

// startServer starts a dev server on a free port and waits until it is ready.
func startServer(ctx context.Context, program string, args ...string) (*process, error) {
	command := exec.CommandContext(ctx, program, append([]string{"-addr", "127.0.0.1:0"}, args...)...) //nolint:gosec // It was built for this.
	command.Env = environ(os.Environ())
	var log bytes.Buffer
	command.Stderr = &log
	printed, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	p := &process{command: command}
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if address, is := strings.CutPrefix(lines.Text(), "listening on "); is {
			p.url = address
		}
		if lines.Text() == "ready" {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s ended before it was ready: %w: %s", program, command.Wait(), tail(log.String(), 3000))
}

// stop ends the server.
func (p *process) stop() error {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	if err := p.command.Wait(); err != nil && p.command.ProcessState.ExitCode() != -1 {
		return err
	}
	return nil
}

// client sends the requests of a workspace over the network.
type client struct {
	url, key string
	http     *http.Client
}

func newClient(address, key string) *client {
	return &client{url: address, key: key, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

// refusedError is a response that refuses a request.
type refusedError struct {
	status int
	text   string
}

func (e *refusedError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.text) }

// call sends a request and decodes the response into out unless that is nil.
func (c *client) call(ctx context.Context, method, path string, body, out any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	answer, err := c.send(ctx, method, path, http.Header{"Content-Type": {"application/json"}}, data)
	if err != nil {
		return fmt.Errorf("%s %.200s: %w", method, path, err)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// send sends a request and returns the response. The error is a *refusedError if the response refuses the request.
func (c *client) send(ctx context.Context, method, path string, header http.Header, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = header.Clone()
	if c.key != "" {
		request.Header.Set("X-Api-Key", c.key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = &refusedError{response.StatusCode, tail(strings.TrimSpace(string(answer)), 300)}
	}
	return answer, err
}
