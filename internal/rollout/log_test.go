package rollout

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

func TestLogTail(t *testing.T) {
	t.Parallel()
	const build, deploy = "2a000001-0000-4000-8000-000000000000/logs?limit=20&order=desc&type=build", "2a000001-0000-4000-8000-000000000000/logs?limit=20&order=desc&type=deploy"
	for name, test := range map[string]struct {
		status  api.RevisionStatus
		replies map[string][]reply
		want    []string
		asked   int
		fails   bool
	}{
		"a build failed": {
			status: api.RevisionBuildFailed, replies: map[string][]reply{build: {logReply("exit status 1", "npm ci")}},
			want: []string{"build log: INFO npm ci", "build log: INFO exit status 1"}, asked: 1,
		},
		"a creation failed": {
			status: api.RevisionCreateFailed, replies: map[string][]reply{build: {logReply("no such repository")}},
			want: []string{"build log: INFO no such repository"}, asked: 1,
		},
		"a deployment failed": {
			status: api.RevisionDeployFailed, replies: map[string][]reply{deploy: {logReply("exited with code 1\n")}},
			want: []string{"deploy log: INFO exited with code 1"}, asked: 1,
		},
		"an image is not built": {
			status: api.RevisionCreateFailed, replies: map[string][]reply{build: {logReply()}, deploy: {logReply("no such image")}},
			want: []string{"deploy log: INFO no such image"}, asked: 2,
		},
		"nothing is logged": {
			status: api.RevisionDeployFailed, replies: map[string][]reply{build: {logReply()}, deploy: {logReply()}}, asked: 2,
		},
		"a secret is printed": {
			status: api.RevisionBuildFailed, replies: map[string][]reply{build: {logReply("TOKEN=canary-4711 is <wrong>")}},
			want: []string{"build log: INFO TOKEN=*** is <wrong>"}, asked: 1,
		},
		"logs are not offered": {
			status: api.RevisionBuildFailed, replies: map[string][]reply{build: {{status: http.StatusNotFound}}}, asked: 1, fails: true,
		},
		"logs can't be had": {
			status: api.RevisionDeployFailed, replies: map[string][]reply{deploy: {{status: http.StatusServiceUnavailable}}}, asked: 1, fails: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, s := follow(t, test.replies)
			r.Revision.Status = test.status
			lines, err := r.LogTail(mask.With(t.Context(), "canary-4711"))
			if (err != nil) != test.fails {
				t.Errorf("the error is %v", err)
			}
			if diff := cmp.Diff(test.want, lines); diff != "" {
				t.Error(diff)
			}
			if total := s.total(); total != test.asked {
				t.Errorf("%d requests were sent, not %d", total, test.asked)
			}
		})
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", logBytes)
	for name, test := range map[string]struct {
		messages []string
		want     []string // Prefixes.
	}{
		"everything fits":              {[]string{"one", "two"}, []string{"build log: INFO one", "build log: INFO two"}},
		"the oldest doesn't":           {[]string{long, "two", "three"}, []string{"build log: INFO two", "build log: INFO three"}},
		"one in the middle doesn't":    {[]string{"one", long, "three"}, []string{"build log: INFO three"}},
		"the newest alone is too long": {[]string{"one", long}, []string{"build log: INFO ää"}},
		"none":                         {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var entries []api.LogEntry
			for _, message := range test.messages {
				entries = append(entries, api.LogEntry{Level: api.LogInfo, Message: message})
			}
			lines := tail(api.LogTypeBuild, entries)
			if len(lines) != len(test.want) {
				t.Fatalf("%d lines are told, not %d", len(lines), len(test.want))
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, test.want[i]) || !utf8.ValidString(line) {
					t.Errorf("line %d is %.60q, not %q", i, line, test.want[i])
				}
			}
			if size := len(strings.Join(lines, "")); size > logBytes+len("…") {
				t.Errorf("%d bytes are told", size)
			}
		})
	}
}

// logReply is a log, the newest line first.
func logReply(messages ...string) reply {
	entries := []any{}
	for _, message := range messages {
		entries = append(entries, map[string]any{"id": "1", "timestamp": "2026-01-02T03:04:05Z", "level": "INFO", "message": message})
	}
	return reply{body: map[string]any{"logs": entries, "next_offset": nil}}
}
