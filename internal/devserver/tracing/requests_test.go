package tracing_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/tools/txtar"

	"log/slog"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestClientRequests sends the requests of official clients as they write them, and checks what they read from the responses.
// testdata/requests/README.md explains the files.
func TestClientRequests(t *testing.T) {
	t.Parallel()
	clients := map[string][]string{}
	for _, client := range readArchive(t, "testdata/requests/clients.txtar") {
		clients[client.Name] = strings.Split(strings.TrimSpace(string(client.Data)), "\n")
	}
	files, err := filepath.Glob("testdata/requests/[0-9]*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		area := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, section := range readArchive(t, file) {
			t.Run(area+"/"+section.Name, func(t *testing.T) {
				t.Parallel()
				client, _, _ := strings.Cut(section.Name, " ")
				if clients[client] == nil {
					t.Fatalf("client %q is not in clients.txtar", client)
				}
				p, ids, warnings := sampled(t)
				for step := range strings.SplitSeq(string(section.Data), "\nthen\n") {
					step = word.ReplaceAllStringFunc(step, func(name string) string {
						if text, known := ids[strings.Trim(name, "{}")]; known {
							return text
						}
						t.Fatalf("%s is not in the sample", name)
						return ""
					})
					warnings.Reset()
					wanted := sendAsWritten(t, p, clients[client], step, ids)
					devservertest.Same(t, "ignored", wanted, ignored(t, warnings))
					for _, name := range wanted {
						if !strings.HasPrefix(name, "any") { // Such as any_keyword, which stands for what nobody documents.
							t.Errorf("%s is documented: apply or refuse it", name)
						}
					}
				}
			})
		}
	}
}

// TestSupportedMethods checks that the guide lists the methods whose requests are recorded, and no others.
func TestSupportedMethods(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/send-traces.md")
	devservertest.Must(t, err)
	_, section, _ := strings.Cut(string(guide), "\n## Methods of the JavaScript client\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed, recorded []string
	for _, row := range regexp.MustCompile(`(?m)^\| [a-z ]+ \| (.*) \|$`).FindAllStringSubmatch(section, -1) {
		listed = append(listed, strings.Split(strings.Trim(row[1], "`"), "`, `")...)
	}
	for _, section := range readArchive(t, "testdata/requests/1.8-npm-0.12.txtar") {
		_, method, _ := strings.Cut(section.Name, " ")
		recorded = append(recorded, method)
	}
	slices.Sort(listed)
	slices.Sort(recorded)
	devservertest.Same(t, "methods", recorded, listed)
}

var word = regexp.MustCompile(`\{[a-z_]+\}`)

func readArchive(t *testing.T, name string) []txtar.File {
	t.Helper()
	text, err := os.ReadFile(name)
	devservertest.Must(t, err)
	return txtar.Parse(text).Files
}

// ignored returns the names that a server has ignored according to its warnings.
func ignored(t *testing.T, warnings *bytes.Buffer) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(warnings.String()) {
		var warning struct {
			Msg   string
			Names []string
		}
		devservertest.Must(t, json.Unmarshal([]byte(line), &warning))
		if warning.Msg == "ignored unknown parameters" {
			all = append(all, warning.Names...)
		}
	}
	return all
}

// sendAsWritten sends a request and checks the response. It returns the names that the server has to ignore.
func sendAsWritten(t *testing.T, p *plane, usual []string, step string, ids map[string]string) (ignored []string) {
	t.Helper()
	request, wanted, is := strings.Cut(step, "\n=> ")
	if !is {
		t.Fatalf("no => in %q", step)
	}
	head, body, _ := strings.Cut(strings.TrimSpace(request), "\n\n")
	line, own, _ := strings.Cut(head, "\n")
	header := merged(usual, strings.Split(own, "\n"), body != "")
	content := encodedAs(t, header, body)
	var raw bytes.Buffer
	fmt.Fprintf(&raw, "%s HTTP/1.1\r\nHost: %s\r\n", line, p.Web.Listener.Addr())
	for _, one := range header {
		raw.WriteString(strings.ReplaceAll(one, "{workspace}", ids["workspace"]) + "\r\n")
	}
	switch {
	case valueOf(header, "transfer-encoding") == "chunked":
		fmt.Fprintf(&raw, "\r\n%x\r\n%s\r\n0\r\n\r\n", len(content), content)
	case body != "":
		fmt.Fprintf(&raw, "Content-Length: %d\r\n\r\n%s", len(content), content)
	default:
		raw.WriteString("\r\n")
	}
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.Web.Listener.Addr().String())
	devservertest.Must(t, err)
	defer connection.Close()
	if _, err := connection.Write(raw.Bytes()); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(line, " ")
	response, err := http.ReadResponse(bufio.NewReader(connection), &http.Request{Method: method})
	devservertest.Must(t, err)
	defer response.Body.Close()
	received, err := io.ReadAll(response.Body)
	devservertest.Must(t, err)
	status, reads, _ := strings.Cut(wanted, "\n")
	if fmt.Sprint(response.StatusCode) != strings.TrimSpace(status) {
		t.Fatalf("%s: status %d, want %s: %.2000s", line, response.StatusCode, status, received)
	}
	for read := range strings.SplitSeq(strings.TrimSpace(reads), "\n") {
		if read == "" {
			continue
		}
		if names, is := strings.CutPrefix(read, "ignored: "); is {
			ignored = strings.Fields(names)
			continue
		}
		read, name, used := strings.Cut(read, " as ")
		if used {
			ids[name] = strings.TrimPrefix(textAt(received, strings.Split(strings.TrimSuffix(read, ": text"), "/")), p.Web.URL)
		}
		if err := has(response, received, read); err != nil {
			t.Errorf("%s: %s: %v in %.2000s", line, read, err, received)
		}
	}
	return ignored
}

// merged returns the header of a client with some fields replaced or removed.
func merged(usual, own []string, body bool) []string {
	var all []string
	for _, one := range slices.Concat(usual, own) {
		named, _, set := strings.Cut(one, ":")
		name := strings.TrimPrefix(named, "!")
		all = slices.DeleteFunc(all, func(earlier string) bool { return strings.EqualFold(strings.SplitN(earlier, ":", 2)[0], name) })
		if set && (body || !strings.EqualFold(name, "content-type")) {
			all = append(all, one)
		}
	}
	return all
}

func valueOf(header []string, wanted string) string {
	for _, one := range header {
		if name, value, _ := strings.Cut(one, ":"); strings.EqualFold(name, wanted) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// encodedAs returns a body in the form that the header announces.
func encodedAs(t *testing.T, header []string, body string) []byte {
	t.Helper()
	if strings.HasPrefix(valueOf(header, "content-type"), "multipart/") {
		body = measured(body)
	} else {
		body = strings.ReplaceAll(body, "\n", "")
	}
	var out bytes.Buffer
	var w io.WriteCloser
	switch valueOf(header, "content-encoding") {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "zstd":
		var err error
		if w, err = zstd.NewWriter(&out); err != nil {
			t.Fatal(err)
		}
	default:
		return []byte(body)
	}
	_, err := w.Write([]byte(body))
	devservertest.Must(t, errors.Join(err, w.Close()))
	return out.Bytes()
}

// measured returns a multipart body with the lengths of its parts, and the ends of lines that it has on the wire.
func measured(body string) string {
	boundary, _, _ := strings.Cut(body, "\n")
	parts := strings.Split(body+"\n", boundary)
	for i, part := range parts {
		head, content, _ := strings.Cut(part, "\n\n")
		parts[i] = strings.ReplaceAll(head, "#", fmt.Sprint(len(content)-1)) + strings.TrimPrefix(part, head)
	}
	return strings.ReplaceAll(strings.Join(parts, boundary), "\n", "\r\n")
}

// has checks one line of what a client reads.
func has(response *http.Response, body []byte, read string) error {
	at, wanted, _ := strings.Cut(read, ": ")
	if wanted == "page" {
		if got := response.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/html") {
			return fmt.Errorf("Content-Type is %s", got)
		}
		return nil
	}
	if content, is := strings.CutPrefix(wanted, "bytes "); is {
		if string(body) != content {
			return errors.New("differs")
		}
		return nil
	}
	if got := response.Header.Get("Content-Type"); got != "application/json" {
		return fmt.Errorf("Content-Type is %s", got)
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return err
	}
	if at == "." {
		return isA(value, true, wanted)
	}
	return within(value, strings.Split(at, "/"), wanted)
}

// textAt returns the text at a path, for the next request; empty if there is none.
func textAt(body []byte, path []string) string {
	var value any
	_ = json.Unmarshal(body, &value)
	for _, step := range path {
		switch parent := value.(type) {
		case map[string]any:
			value = parent[step]
		case []any:
			if i, err := strconv.Atoi(step); err == nil && i < len(parent) {
				value = parent[i]
			}
		}
	}
	text, _ := value.(string)
	return text
}

// within follows a path to the values that have to be as wanted.
func within(value any, path []string, wanted string) error {
	if len(path) == 0 {
		return isA(value, true, wanted)
	}
	switch parent := value.(type) {
	case map[string]any:
		inner, present := parent[path[0]]
		if len(path) == 1 {
			return isA(inner, present, wanted)
		}
		return within(inner, path[1:], wanted)
	case []any:
		if path[0] != "*" {
			i, err := strconv.Atoi(path[0])
			if err != nil || i >= len(parent) {
				return isA(nil, false, wanted)
			}
			return within(parent[i], path[1:], wanted)
		}
		if len(parent) == 0 {
			return errors.New("the list is empty")
		}
		for _, inner := range parent {
			if err := within(inner, path[1:], wanted); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("%s is in %v, which is no object or list", path[0], value)
	}
}

// isA checks a value against types, or JSON.
func isA(value any, present bool, wanted string) error {
	var literal any
	switch {
	case wanted == "absent" && !present:
		return nil
	case !present:
		return errors.New("is missing")
	case wanted != "null" && json.Unmarshal([]byte(wanted), &literal) == nil:
		if diff := cmp.Diff(literal, value); diff != "" {
			return fmt.Errorf("differs (-want +got):\n%s", diff)
		}
		return nil
	}
	for kind := range strings.SplitSeq(wanted, "|") {
		test, known := kinds[kind]
		if !known {
			return fmt.Errorf("no type %q", kind)
		}
		if test(value) {
			return nil
		}
	}
	return fmt.Errorf("is %v", value)
}

// iso is a time as the parsers of all clients accept it: without a zone, it is in UTC.
var iso = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?$`)

var kinds = map[string]func(any) bool{
	"any": func(any) bool { return true },
	"uuid": func(v any) bool {
		text, _ := v.(string)
		_, err := uuid.Parse(text)
		return err == nil && len(text) == 36
	},
	"time": func(v any) bool { text, _ := v.(string); return iso.MatchString(text) },
	"text": func(v any) bool { text, _ := v.(string); return text != "" },
	"sentence": func(v any) bool {
		text, _ := v.(string)
		return strings.Contains(text, " ") && strings.HasSuffix(text, ".") && strings.ToUpper(text[:1]) == text[:1]
	},
	"decimal": func(v any) bool {
		_, err := strconv.ParseFloat(fmt.Sprint(v), 64)
		return err == nil
	},
	"int":    func(v any) bool { n, is := v.(float64); return is && n == float64(int64(n)) },
	"number": func(v any) bool { _, is := v.(float64); return is },
	"bool":   func(v any) bool { _, is := v.(bool); return is },
	"string": func(v any) bool { _, is := v.(string); return is },
	"object": func(v any) bool { _, is := v.(map[string]any); return is },
	"array":  func(v any) bool { _, is := v.([]any); return is },
	"null":   func(v any) bool { return v == nil },
}

// sampled is a server with the sample to which testdata/requests refers, its IDs by name, and its warnings as lines of JSON.
func sampled(t *testing.T) (*plane, map[string]string, *bytes.Buffer) {
	t.Helper()
	var warnings bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&warnings, &slog.HandlerOptions{Level: slog.LevelWarn}))
	p := devservertest.New(t, devserver.Config{Logger: logger, Keys: []devserver.Key{{Value: "sesame", Workspaces: []string{devservertest.WorkspaceA}}}}).As("X-Api-Key", "sesame")
	root := devservertest.RootRun(object{
		"name": "agent", "tags": []any{"smoke"}, "end_time": "2026-05-02T10:00:02Z", "inputs": object{"question": "Why?"}, "outputs": object{"answer": "So."},
		"extra":                object{"metadata": object{"thread_id": "thread 1/a", "revision": "r1"}},
		"reference_example_id": "eeeeeeee-1111-4000-8000-000000000000",
	})
	child := devservertest.ChildRun(root, object{
		"name": "model", "end_time": "2026-05-02T10:00:01.5Z", "outputs": object{"messages": []any{}, "usage_metadata": object{
			"input_tokens": 20, "output_tokens": 10, "total_tokens": 30, "total_cost": 0.5, "input_token_details": object{"cache_read": 5}}},
		"events": []any{object{"name": "new_token", "time": "2026-05-02T10:00:00.75Z"}}, "error": "late", "serialized": object{"name": "model"},
	})
	id, below := root["id"].(string), child["id"].(string)
	devservertest.NewUpload(t).Add("post", root).Add("post", child).Attach(id, "notes", "text/plain", "hello").Send(p).Want(http.StatusAccepted)
	said := p.Rate(object{"id": feedbackA, "run_id": id, "key": "correct", "score": 1, "comment": "yes", "feedback_source": object{"type": "api"}})
	p.Rate(object{"run_id": below, "key": "correct", "score": 0, "feedback_source": object{"type": "model"}})
	shared := devservertest.Into[object](p.Do(http.MethodPut, "/runs/"+id+"/share", object{}).Want(http.StatusOK))
	places := newDataset(p, "places")
	example := devservertest.Into[object](p.Do(http.MethodPost, "/examples", object{
		"dataset_id": places, "inputs": object{"country": "Spain"}, "metadata": object{"a": 1}, "split": "test",
	}).Want(http.StatusOK))
	p.Do(http.MethodPatch, "/datasets/"+places, object{"metadata": object{"team": "red"}}).Want(http.StatusOK)
	return p, map[string]string{
		"workspace": devservertest.WorkspaceA, "project": said["session_id"].(string), "root": id, "child": below, "feedback": feedbackA,
		"share": shared["share_token"].(string), "token": tokenFor(p, object{"run_id": id})["id"].(string), "new": uuid.NewString(),
		"root_order": root["dotted_order"].(string), "places": places, "example": example["id"].(string),
	}, &warnings
}
