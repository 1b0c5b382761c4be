package devservertest

import (
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// peersVariable is how many servers share the database of a test, if tests use PostgreSQL.
const peersVariable = "AGENTPLANE_TEST_PEERS"

// Servers are one server, or several that share a database, each of which answers a request in turn. What is no request is for the first one.
type Servers struct {
	*devserver.Server
	all  []*devserver.Server
	next atomic.Uint64
}

// NewServers starts as many servers as AGENTPLANE_TEST_PEERS says, by default one.
func NewServers(t testing.TB, cfg devserver.Config) (*Servers, error) {
	t.Helper()
	n := 1
	if text := os.Getenv(peersVariable); text != "" && strings.HasPrefix(cfg.Data, "postgres:") {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			t.Fatalf("%s is %q, want a number of servers", peersVariable, text)
		}
		cfg.DevAPI = cfg.DevAPI || n > 1 // With it, armed faults are those of all servers.
	}
	s := &Servers{}
	for range n {
		server, err := devserver.New(cfg)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.all = append(s.all, server)
	}
	s.Server = s.all[0]
	return s, nil
}

// ServeHTTP lets the next server answer a request.
func (s *Servers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.all[(s.next.Add(1)-1)%uint64(len(s.all))].ServeHTTP(w, r)
}

// EndStreams ends the responses of all servers that would continue.
func (s *Servers) EndStreams() {
	for _, server := range s.all {
		server.EndStreams()
	}
}

// Close ends all servers.
func (s *Servers) Close() (err error) {
	for _, server := range s.all {
		err = errors.Join(err, server.Close())
	}
	return err
}
