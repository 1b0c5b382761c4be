package tracing_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// evaluated starts a server, and returns the environment with which the package in testdata/npm uses it.
func evaluated(t *testing.T) (p *plane, scripts string, env []string) {
	t.Helper()
	scripts = devservertest.InstallNPM(t)
	p = devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: filepath.Join(t.TempDir(), "runs.db"), Clock: systemClock{}})).As()
	return p, scripts, []string{
		"LANGSMITH_ENDPOINT=" + p.Web.URL, "LANGSMITH_API_KEY=sesame", "LANGSMITH_TRACING=true", "NO_COLOR=1", "TMPDIR=" + t.TempDir(),
		"NODE_OPTIONS=--experimental-vm-modules --no-warnings",
	}
}

// experimentOf returns the newest experiment of the dataset with a name, with its statistics.
func experimentOf(t *testing.T, p *plane, dataset string) object {
	t.Helper()
	found := devservertest.Get[[]object](p, "/datasets?name="+dataset)
	if len(found) != 1 {
		t.Fatalf("datasets = %v, want one named %s", found, dataset)
	}
	all := devservertest.Get[[]object](p, "/sessions?include_stats=true&limit=1&reference_dataset="+found[0]["id"].(string))
	if len(all) != 1 {
		t.Fatalf("the dataset %s has no experiment", dataset)
	}
	return all[0]
}

// averages returns the averages of feedback by key.
func averages(stats any) map[string]any {
	all := map[string]any{}
	keys, _ := stats.(object)
	for key, one := range keys {
		all[key] = one.(object)["avg"]
	}
	return all
}

// TestEvaluate_unraced evaluates an agent with the package that most users evaluate with: on a dataset, and on some of its examples.
func TestEvaluate_unraced(t *testing.T) {
	t.Parallel()
	p, scripts, env := evaluated(t)
	var measured []struct {
		Experiment string         `json:"experiment"`
		Scores     map[string]any `json:"scores"`
		Summary    any            `json:"summary"`
	}
	out := string(runNode(t, scripts, "evaluate.mjs", env))
	if err := json.Unmarshal([]byte(out[strings.LastIndex(out, "\n")+1:]), &measured); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if len(measured) != 2 {
		t.Fatalf("%d experiments, want 2: %s", len(measured), out)
	}
	for i, want := range []struct {
		scores        map[string]any
		correct, runs float64
		cost          string
	}{{map[string]any{"France": true, "Spain": false}, 0.5, 2, "0.5"}, {map[string]any{"France": true}, 1, 1, "0.25"}} {
		if diff := cmp.Diff(want.scores, measured[i].Scores); diff != "" || measured[i].Summary != want.runs {
			t.Errorf("experiment %d: summary %v, scores (-want +got):\n%s", i, measured[i].Summary, diff)
		}
		stored := devservertest.Get[[]object](p, "/sessions?include_stats=true&name="+measured[i].Experiment)[0]
		got := []any{averages(stored["feedback_stats"])["correct"], averages(stored["session_feedback_stats"])["count"], stored["run_count"], stored["total_cost"]}
		devservertest.Same(t, fmt.Sprintf("what is stored of experiment %d", i), []any{want.correct, want.runs, want.runs, want.cost}, got)
	}
	stored := experimentOf(t, p, "capitals")
	if stored["name"] != measured[1].Experiment {
		t.Errorf("the newest experiment is %v, want %s", stored["name"], measured[1].Experiment)
	}
	runs := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"session": []any{stored["id"]}, "is_root": true}).Want(http.StatusOK))["runs"].([]any)
	example := devservertest.Get[object](p, "/examples/"+runs[0].(object)["reference_example_id"].(string))
	if example["inputs"].(object)["country"] != "France" {
		t.Errorf("the run's example is %v, want France", example)
	}
}

// TestEvaluateReporters_unraced runs a suite of which one test fails with both test runners: both report it, and so does the server. The
// second one finds the examples of the first. Without tracking, nothing is sent.
func TestEvaluateReporters_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "vitest and jest", 40*time.Second)
	p, scripts, env := evaluated(t)
	for _, arguments := range [][]string{
		{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "first"},
	} {
		git := exec.CommandContext(t.Context(), "git", arguments...)
		git.Dir = scripts
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git: %v\n%s", err, out)
		}
	}
	untracked := append(slices.Clone(env), "LANGSMITH_TEST_TRACKING=false")
	for _, tc := range []struct {
		runner    []string
		env       []string
		tracked   bool
		reporting string
	}{
		{[]string{"node_modules/vitest/vitest.mjs", "run", "--config", "vitest.config.mjs"}, untracked, false, "vitest without tracking"},
		{[]string{"node_modules/vitest/vitest.mjs", "run", "--config", "vitest.config.mjs"}, env, true, "vitest"},
		{[]string{"node_modules/jest/bin/jest.js", "--config", "jest.config.mjs"}, env, true, "jest"},
	} {
		before := len(p.Recorded().Requests)
		command := exec.CommandContext(t.Context(), "node", tc.runner...)
		command.Dir, command.Env = scripts, append(os.Environ(), tc.env...)
		out, err := command.CombinedOutput()
		text := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(string(out), "")
		if command.ProcessState == nil || command.ProcessState.ExitCode() != 1 {
			t.Fatalf("%s: %v, want exit code 1\n%s", tc.reporting, err, text)
		}
		for _, row := range []string{`France.*capital: Paris .*✓ Passed.*1 `, `Spain.*capital: Madrid.*capital: Barcelona.*✕ Failed.*0 `} {
			if !regexp.MustCompile(row).MatchString(text) {
				t.Errorf("%s reports no row with %s:\n%s", tc.reporting, row, text)
			}
		}
		if !tc.tracked {
			if sent := p.Recorded().Requests[before:]; len(sent) > 0 {
				t.Errorf("%s sent %+v", tc.reporting, sent)
			}
			continue
		}
		experiment := experimentOf(t, p, "geography")
		want := []any{map[string]any{"pass": 0.5, "correct": 0.5}, 2.0, 0.5}
		got := []any{averages(experiment["feedback_stats"]), experiment["run_count"], experiment["error_rate"]}
		devservertest.Same(t, "statistics after "+tc.reporting, want, got)
		if !strings.Contains(text, "/datasets/"+experiment["reference_dataset_id"].(string)+"/compare?selectedSessions="+experiment["id"].(string)) {
			t.Errorf("%s prints no link to the experiment:\n%s", tc.reporting, text)
		}
		if dataset := devservertest.Get[[]object](p, "/datasets?name=geography")[0]; dataset["example_count"] != 2.0 {
			t.Errorf("examples after %s = %v, want 2", tc.reporting, dataset["example_count"])
		}
	}
	for _, r := range p.Recorded().Requests {
		missing := r.Method == http.MethodGet && strings.HasPrefix(r.Path, "/examples/") && r.Status == http.StatusNotFound // Then it is created.
		if r.Status >= 400 && !missing {
			t.Errorf("%s %s was answered with %d", r.Method, r.Path, r.Status)
		}
	}
}
