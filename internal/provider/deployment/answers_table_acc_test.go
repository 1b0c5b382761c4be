package deployment_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
)

// instead replaces the response.
func instead(text string) wrong {
	return func(answer *httptest.ResponseRecorder, _ *http.Request) { answer.Body = bytes.NewBufferString(text) }
}

// labelled returns the same body with another header.
func labelled(name, value string) wrong {
	return func(answer *httptest.ResponseRecorder, _ *http.Request) { answer.Header().Set(name, value) }
}

// around returns the same body between two texts.
func around(before, after string) wrong {
	return func(answer *httptest.ResponseRecorder, _ *http.Request) {
		answer.Body = bytes.NewBufferString(before + answer.Body.String() + after)
	}
}

// withMember replaces the value of a member; empty removes it. In a list, it changes every object. A
// response without that member isn't changed.
func withMember(name, value string) wrong {
	return edited(func(object map[string]any) bool {
		_, has := object[name]
		switch {
		case has && value == "":
			delete(object, name)
		case has:
			object[name] = json.RawMessage(value)
		}
		return has
	})
}

// edited changes the objects of a response.
func edited(change func(map[string]any) bool) wrong {
	return func(answer *httptest.ResponseRecorder, _ *http.Request) {
		var whole any
		decoder := json.NewDecoder(bytes.NewReader(answer.Body.Bytes()))
		decoder.UseNumber()
		if decoder.Decode(&whole) != nil {
			return // For example, the response to a deletion is empty.
		}
		changed := false
		for _, object := range objectsIn(whole) {
			changed = change(object) || changed
		}
		if !changed {
			return
		}
		text, err := json.Marshal(whole)
		if err != nil {
			panic(err)
		}
		answer.Body = bytes.NewBuffer(text)
	}
}

// objectsIn returns the objects in a response.
func objectsIn(whole any) []map[string]any {
	switch whole := whole.(type) {
	case []any:
		var all []map[string]any
		for _, one := range whole {
			all = append(all, objectsIn(one)...)
		}
		return all
	case map[string]any:
		for _, name := range []string{"resources", "items"} {
			if list, is := whole[name].([]any); is {
				return objectsIn(list)
			}
		}
		return []map[string]any{whole}
	default:
		return nil
	}
}

const strangerID = "0d5a1c3e-2b7f-4f0a-9b1e-6c8d2e4f6a80"

// wrongAnswers are the ways in which any response can be wrong.
var wrongAnswers = map[string]wrong{
	"nothing": instead(""),
	"spaces":  instead(" \r\n\t"),
	"no content": func(answer *httptest.ResponseRecorder, _ *http.Request) {
		answer.Code, answer.Body = http.StatusNoContent, &bytes.Buffer{}
	},
	"a page":           instead("<!doctype html><title>Welcome</title>"),
	"a page as JSON":   around("<html>", "</html>"),
	"half of it":       func(answer *httptest.ResponseRecorder, _ *http.Request) { answer.Body.Truncate(answer.Body.Len() / 2) },
	"null":             instead("null"),
	"a text":           instead(`"ok"`),
	"a number":         instead("1e400"),
	"true":             instead("true"),
	"an empty object":  instead("{}"),
	"a list in a list": around("[[", "]]"),
	"in an envelope":   around(`{"data": `, "}"),
	"an error":         instead(`{"error": "upstream failed", "detail": "Bad gateway"}`),
	"words":            instead("Service temporarily unavailable"),
	"deep":             instead(strings.Repeat("[", 100_000)),
	"deep and closed":  instead(strings.Repeat(`{"id":`, 5000) + "1" + strings.Repeat("}", 5000)),
	"a mark before":    around("\xef\xbb\xbf", ""),
	"more after it":    around("", `{"detail": "Internal error"}`),
	"a page after it":  around("", "<html>Internal error</html>"),
	"a guard before":   around(")]}',\n", ""),
	"single quotes": func(answer *httptest.ResponseRecorder, _ *http.Request) {
		answer.Body = bytes.NewBuffer(bytes.ReplaceAll(answer.Body.Bytes(), []byte(`"`), []byte("'")))
	},
	"UTF-16": func(answer *httptest.ResponseRecorder, _ *http.Request) {
		answer.Body = bytes.NewBufferString("\xff\xfe" + strings.Join(strings.Split(answer.Body.String(), ""), "\x00") + "\x00")
	},
	"a NUL":              around("", "\x00"),
	"no gzip":            labelled("Content-Encoding", "gzip"),
	"as a text":          labelled("Content-Type", "text/plain"),
	"as nothing known":   labelled("Content-Type", "application/x-unknown; charset=latin1"),
	"of type HTML":       labelled("Content-Type", "text/html; charset=utf-8"),
	"created":            func(answer *httptest.ResponseRecorder, _ *http.Request) { answer.Code = http.StatusCreated },
	"accepted":           func(answer *httptest.ResponseRecorder, _ *http.Request) { answer.Code = http.StatusAccepted },
	"id: a number":       withMember("id", "17"),
	"id: null":           withMember("id", "null"),
	"id: missing":        withMember("id", ""),
	"id: empty":          withMember("id", `""`),
	"id: an object":      withMember("id", `{"id": "`+strangerID+`"}`),
	"id: a stranger's":   withMember("id", `"`+strangerID+`"`),
	"name: a number":     withMember("name", "17"),
	"name: a stranger's": withMember("name", `"somebody-else"`),
	"name: not UTF-8":    withMember("name", "\"caf\xe9\""),
	"a date: a number":   withMember("created_at", "1767323045"),
	"a date: words":      withMember("created_at", `"last Tuesday"`),
	"a date: null":       withMember("created_at", "null"),
	"additional members": edited(func(object map[string]any) bool {
		object["from_a_later_version"] = map[string]any{"id": 1}
		return true
	}),
	"endless": endless,
}

// endless returns a list with an endless number of pages: each is full, and all its objects are new.
func endless(answer *httptest.ResponseRecorder, r *http.Request) {
	one := "{}"
	var whole any
	if json.Unmarshal(answer.Body.Bytes(), &whole) == nil {
		if object, _ := whole.(map[string]any); object["items"] != nil { // This list uses cursors, and has no runs.
			answer.Body = bytes.NewBufferString(fmt.Sprintf(`{"items": [], "next_cursor": "%d"}`, pagesBegun.Add(1)))
			return
		}
		if all := objectsIn(whole); len(all) > 0 {
			delete(all[0], "id")
			text, _ := json.Marshal(all[0]) // It was decoded from JSON.
			one = strings.TrimSuffix(string(text), "}")
		}
	}
	items := make([]string, 100)
	for i := range items {
		items[i] = fmt.Sprintf(`%s, "id": "00000000-0000-4000-8000-%06d%06d"}`, one, i, len(r.URL.RawQuery)+atoi(r.URL.Query().Get("offset")))
	}
	list := "[" + strings.Join(items, ",") + "]"
	if _, wrapped := whole.(map[string]any); wrapped {
		list = `{"resources": ` + list + `, "offset": 0}`
	}
	answer.Header().Del("X-Pagination-Total")
	answer.Body = bytes.NewBufferString(list)
}

// pagesBegun makes every cursor unique.
var pagesBegun atomic.Int64

func atoi(text string) int {
	n := 0
	_, _ = fmt.Sscan(text, &n) // Zero if there is none.
	return n
}
