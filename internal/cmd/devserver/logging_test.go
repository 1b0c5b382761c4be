package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// TestLogOptions checks what is logged at each level, and in which form.
func TestLogOptions(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                                  "level=ACCESS msg=access\nlevel=INFO msg=info\nlevel=WARN msg=warn\n",
		"-log-level=debug":                  "level=DEBUG msg=debug\nlevel=ACCESS msg=access\nlevel=INFO msg=info\nlevel=WARN msg=warn\n",
		"-log-level=info":                   "level=INFO msg=info\nlevel=WARN msg=warn\n",
		"-log-level=error":                  "",
		"-log-level=warn -log-format=json":  `"level":"WARN","msg":"warn"}` + "\n",
		"-log-format=json":                  `"level":"ACCESS","msg":"access"}` + "\n" + `"level":"INFO","msg":"info"}` + "\n" + `"level":"WARN","msg":"warn"}` + "\n",
		"-log-format=text -log-level=warn":  "level=WARN msg=warn\n",
		"-log-format=json -log-level=error": "",
	} {
		o, err := parseOptions(strings.Fields(args), &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		logger := o.log.logger(&log)
		logger.Debug("debug")
		logger.Log(t.Context(), devserver.LevelAccess, "access")
		logger.Info("info")
		logger.Warn("warn")
		var got strings.Builder
		for line := range strings.Lines(log.String()) { // Without the time.
			start := max(strings.Index(line, "level="), strings.Index(line, `"level":`))
			got.WriteString(line[start:])
		}
		if got.String() != want {
			t.Errorf("%s: log = %q, want %q", args, got.String(), want)
		}
	}
}
