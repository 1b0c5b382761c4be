package tracing_test

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestParameters_unraced checks that each documented query parameter has an effect or is refused, unless testdata/parameters.txt says why not, and
// that this file has all parameters that clients send.
func TestParameters_unraced(t *testing.T) {
	t.Parallel()
	p, ids := parametersSample(t)
	text, err := os.ReadFile("testdata/parameters.txt")
	devservertest.Must(t, err)
	listed := map[string][]string{} // Parameters by operation.
	var does, target string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		row, indented := strings.CutPrefix(line, "\t")
		name, values, _ := strings.Cut(row, " ")
		switch {
		case strings.HasPrefix(line, "#") || line == "":
		case !indented:
			does, _, _ = strings.Cut(line, "?")
			target = word.ReplaceAllStringFunc(values, func(name string) string { return ids[strings.Trim(name, "{}")] })
		default:
			listed[does] = append(listed[does], strings.TrimSuffix(name, ":"))
			if strings.HasSuffix(name, ":") {
				continue
			}
			values = word.ReplaceAllStringFunc(values, func(name string) string { return ids[strings.Trim(name, "{}")] })
			answer := func(value string) devservertest.Reply {
				at, err := url.Parse(target)
				devservertest.Must(t, err)
				query := at.Query()
				if query.Del(name); value != "" {
					query.Set(name, value)
				}
				at.RawQuery = query.Encode()
				return p.Do(http.MethodGet, at.String(), nil)
			}
			if value, is := strings.CutPrefix(values, "refused "); is {
				if r := answer(value); r.Status != http.StatusUnprocessableEntity || !strings.Contains(string(r.Body), name) {
					t.Errorf("%s %s=%s: %d %s, want 422 and the name", does, name, value, r.Status, r.Body)
				}
				continue
			}
			first, second, _ := strings.Cut(values, "|")
			with, other := answer(first), answer(second)
			if with.Status == http.StatusUnprocessableEntity || with.Status == other.Status && bytes.Equal(with.Body, other.Body) {
				t.Errorf("%s %s has no effect: %q is answered with %d %s, and %q with %d %s", does, name, first, with.Status, with.Body, second, other.Status, other.Body)
			}
		}
	}
	for request := range strings.SplitSeq(sentWithParameters(t), "\n") {
		path, query, _ := strings.Cut(request, "?")
		var known []string
		for does, names := range listed {
			if regexp.MustCompile("^" + word.ReplaceAllString(does, ".+") + "$").MatchString(path) {
				known = append(known, names...)
			}
		}
		for one := range strings.SplitSeq(query, "&") {
			if name, _, _ := strings.Cut(one, "="); !slices.Contains(known, name) && !strings.HasPrefix(name, "any") {
				t.Errorf("%s: testdata/parameters.txt doesn't have %s", path, name)
			}
		}
	}
}

// sentWithParameters returns the first lines of all recorded requests that have a query and don't only show that a path isn't served.
func sentWithParameters(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("testdata/requests/[0-9]*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all []string
	for _, file := range files {
		for _, section := range readArchive(t, file) {
			for _, sent := range regexp.MustCompile(`(?m)^([A-Z]+) (/\S*\?\S+)(?:\n.*)*?\n=> (\d+)`).FindAllStringSubmatch(string(section.Data), -1) {
				if sent[3] == "404" || strings.HasPrefix(section.Name, "browser") {
					continue
				}
				if path := strings.TrimPrefix(strings.TrimPrefix(sent[2], "/api"), "/v1"); !strings.HasPrefix(path, "/v2/") {
					sent[2] = "/api/v1" + path
				}
				all = append(all, sent[1]+" "+sent[2])
			}
		}
	}
	return strings.Join(all, "\n")
}

// parametersSample is the sample of recorded requests, with a second one of most things.
func parametersSample(t *testing.T) (*plane, map[string]string) {
	t.Helper()
	p, ids, _ := sampled(t)
	set := func(path string, body object) object {
		t.Helper()
		return devservertest.Into[object](p.Do(http.MethodPost, path, body).Want(http.StatusOK))
	}
	ids["other"] = set("/sessions", object{"name": "other"})["id"].(string)
	set("/sessions", object{"name": "bot/staging"})
	p.Do(http.MethodPatch, "/sessions/"+ids["project"], object{"extra": object{"metadata": object{"team": "red"}}}).Want(http.StatusOK)
	again := devservertest.RootRun(object{"id": uuid.NewString(), "name": "again", "start_time": "2026-05-02T11:00:00Z", "extra": object{"metadata": object{"thread_id": "thread 1/a"}}})
	again["trace_id"], again["dotted_order"] = again["id"], "20260502T110000000000Z"+again["id"].(string)
	p.Do(http.MethodPost, "/runs", again).Want(http.StatusAccepted)
	ids["thread"] = "thread%201%2Fa"
	set("/api/v2/threads/"+ids["thread"]+"/share", object{"project_id": ids["project"]})
	p.Rate(object{"run_id": ids["root"], "key": "other", "score": nil, "value": "x"})
	tokenFor(p, object{"run_id": ids["root"]})
	set("/feedback-configs", object{"feedback_key": "strict", "feedback_config": object{"type": "continuous"}})
	ids["dataset"] = ids["places"]
	set("/datasets", object{"name": "second", "data_type": "llm"})
	set("/examples", object{"dataset_id": ids["dataset"], "inputs": object{"a": 2}})
	set("/sessions", object{"name": "experiment", "reference_dataset_id": ids["dataset"]})
	return p, ids
}
