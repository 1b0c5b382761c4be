package devserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// TestRecordedSQLite_unraced opens the files of earlier commits, and expects the answers that their servers gave.
func TestRecordedSQLite_unraced(t *testing.T) {
	t.Parallel()
	devservertest.EachRecording(t, func(t *testing.T, directory string) {
		t.Helper()
		file := devservertest.Unpacked(t, filepath.Join(directory, "sqlite.db.gz"))
		sameAnswers(t, directory, "sqlite", func(string) string {
			data := filepath.Join(t.TempDir(), "data")
			devservertest.Must(t, os.WriteFile(data, file, 0o600))
			return data
		})
	})
}

// TestRecordedPostgreSQL does the same with the dumps of databases, which then have the schema of a new one.
func TestRecordedPostgreSQL(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	execute := func(t *testing.T, database, script string) {
		t.Helper()
		devservertest.Must(t, server.Execute(t.Context(), database, script))
	}
	devservertest.EachRecording(t, func(t *testing.T, directory string) {
		t.Helper()
		restored := "recorded_" + filepath.Base(directory)
		execute(t, "postgres", "CREATE DATABASE "+restored+" ENCODING 'UTF8' TEMPLATE template0")
		// Newer versions of pg_dump write commands of psql, which begin with a backslash.
		dump := regexp.MustCompile(`(?m)^\\.*$`).ReplaceAll(devservertest.Unpacked(t, filepath.Join(directory, "postgres.sql.gz")), nil)
		execute(t, restored, string(dump))
		sameAnswers(t, directory, "postgres", func(dialect string) string {
			execute(t, "postgres", "CREATE DATABASE "+restored+"_"+dialect+" TEMPLATE "+restored)
			return server.Address(restored + "_" + dialect)
		})
		execute(t, "postgres", "CREATE DATABASE "+restored+"_new ENCODING 'UTF8' TEMPLATE template0")
		empty, err := store.Open(t.Context(), server.Address(restored+"_new"))
		devservertest.Must(t, err)
		devservertest.Must(t, empty.Close())
		want, err := server.Schema(t.Context(), restored+"_new")
		devservertest.Must(t, err)
		got, err := server.Schema(t.Context(), restored+"_neutral")
		devservertest.Must(t, err)
		devservertest.Same(t, "schema", want, got)
	})
}

// sameAnswers compares the answers of a server of each dialect. Each needs its own copy of the data: a dialect shows rollouts in its way, and
// stores what it has shown.
func sameAnswers(t *testing.T, directory, name string, copied func(dialect string) (data string)) {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(directory, name+".key"))
	devservertest.Must(t, err)
	keyFile := filepath.Join(t.TempDir(), "key")
	devservertest.Must(t, os.WriteFile(keyFile, key, 0o600))
	recording := devservertest.ReadRecording(t, filepath.Join(directory, name+".json.gz"))
	asked := 0
	for _, dialect := range []string{"neutral", "langsmith"} {
		t.Run(dialect, func(t *testing.T) {
			server := recording.Start(t, dialect, devserver.Config{Data: copied(dialect), SealKey: keyFile})
			for _, a := range recording.Answers {
				if a.Dialect == dialect {
					asked++
					sameAnswer(t, a, recording.Send(t, server, a))
				}
			}
		})
	}
	if asked == 0 || asked != len(recording.Answers) {
		t.Errorf("asked for %d of %d answers", asked, len(recording.Answers))
	}
}

func sameAnswer(t *testing.T, want devservertest.RecordedAnswer, got devservertest.Reply) {
	t.Helper()
	if got.Status != want.Status {
		t.Errorf("%s %s %s: status %d, recorded %d: %s", want.Method, want.Path, want.Body, got.Status, want.Status, got.Body)
		return
	}
	if want.Contains != nil {
		for _, part := range want.Contains {
			if !strings.Contains(string(got.Body), part) {
				t.Errorf("%s %s: the page doesn't contain %s", want.Method, want.Path, part)
			}
		}
		return
	}
	devservertest.Same(t, fmt.Sprintf("%s %s %s", want.Method, want.Path, want.Body), decoded(t, want.Answer), decoded(t, got.Body), newAndNull)
}

// newAndNull ignores members that answers didn't have when they were recorded: they must be null for objects of that time.
var newAndNull = cmp.FilterPath(func(p cmp.Path) bool {
	member, is := p.Last().(cmp.MapIndex)
	if !is {
		return false
	}
	recorded, now := member.Values()
	return !recorded.IsValid() && now.IsNil()
}, cmp.Ignore())

// decoded keeps the digits of numbers.
func decoded(t *testing.T, text []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}
