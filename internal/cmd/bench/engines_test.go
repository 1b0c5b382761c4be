package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// TestMeasureEngines_unraced stores little data in each database and makes every kind of query.
func TestMeasureEngines_unraced(t *testing.T) {
	postgrestest.Required(t)
	t.Setenv(asServer, "1")
	var out bytes.Buffer
	little := amounts{runs: 300, trace: 150, ingested: 20, clients: 4, asked: 2}
	if err := measureEngines(t.Context(), &bench{out: &out, progress: io.Discard}, os.Args[0], little); err != nil {
		t.Fatal(err)
	}
	if want := regexp.MustCompile(`\| what +\| +SQLite \| PostgreSQL, one process \| PostgreSQL, two processes \|`); !want.MatchString(out.String()) {
		t.Errorf("the output doesn't match %s:\n%s", want, &out)
	}
	if want := "PostgreSQL with fsync = off, full_page_writes = off, synchronous_commit = on"; !strings.Contains(out.String(), want) {
		t.Errorf("the output doesn't contain %q:\n%s", want, &out)
	}
	rate, times := `[1-9]\d*`, `[\d.]+ [\d.]+`
	for what, figure := range map[string]string{
		"runs a second, in batches": rate, "runs a second, one by one from 4 clients": rate, "a run": times, "change of a deployment": times,
		"statistics of all runs": times, "web: trace of 150 runs": times, "page of deployments": times,
	} {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(what) + ` +` + strings.Repeat(`\| +`+figure+` `, len(engines)) + `\|$`)
		if !row.MatchString(out.String()) {
			t.Errorf("the output doesn't match %s:\n%s", row, &out)
		}
	}
}
