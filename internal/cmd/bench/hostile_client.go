package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
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

func (p *process) proc(name string) string {
	return "/proc/" + strconv.Itoa(p.command.Process.Pid) + "/" + name
}

// resident and peak are the memory of the process in kilobytes, now and at most since forgetPeak; zero if the system doesn't say it.
func (p *process) resident() int64 { return kilobytes(readFile(p.proc("status")), "VmRSS") }
func (p *process) peak() int64     { return kilobytes(readFile(p.proc("status")), "VmHWM") }

// forgetPeak starts to measure the peak again. Where the system has no such file, there is no peak either.
func (p *process) forgetPeak() {
	_ = os.WriteFile(p.proc("clear_refs"), []byte("5"), 0) //nolint:gosec // Of its own process.
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

// mostRead is how much of an answer is kept: while this process copied more, the requests of the other workspace would wait for it.
const mostRead = 1 << 20

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
	answer, err := io.ReadAll(io.LimitReader(response.Body, mostRead))
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
	}
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = &refusedError{response.StatusCode, tail(strings.TrimSpace(string(answer)), 300)}
	}
	return answer, err
}

// open sends a request and doesn't read the response. Close the connection to give up.
func (c *client) open(ctx context.Context, path string) (net.Conn, error) {
	to, err := url.Parse(c.url)
	if err != nil {
		return nil, err
	}
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", to.Host)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: %s\r\nX-Api-Key: %s\r\n\r\n", path, to.Host, c.key)
	return connection, err
}
