package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func (g *Generator) body(to route) ([]byte, error) {
	if g.one(20) {
		return []byte(g.text()), nil
	}
	var value any
	if to.body != nil {
		value = g.ofSchema(to.body, 0)
	} else {
		value = g.ofTracing(to.path)
	}
	if g.one(2) {
		value = g.spoiled(value)
	}
	text, err := json.Marshal(value)
	if err == nil && g.one(40) {
		text = text[:g.random.IntN(len(text)+1)]
	}
	return text, err
}

// spoiled returns a malformed variant of a value.
func (g *Generator) spoiled(value any) any {
	if g.one(5) {
		return g.value()
	}
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			return g.value()
		}
		key := slices.Sorted(maps.Keys(v))[g.random.IntN(len(v))]
		if g.one(6) {
			delete(v, key)
		} else {
			v[key] = g.spoiled(v[key])
		}
		return v
	case []any:
		if len(v) == 0 {
			return []any{g.value()}
		}
		i := g.random.IntN(len(v))
		v[i] = g.spoiled(v[i])
		return v
	default:
		return g.value()
	}
}

// ofSchema returns a value that conforms to a schema of the document.
func (g *Generator) ofSchema(schema any, depth int) any {
	s, is := schema.(map[string]any)
	if !is || depth > 8 {
		return nil
	}
	if ref, is := s["$ref"].(string); is {
		return g.ofSchema(g.schemas[ref[strings.LastIndex(ref, "/")+1:]], depth+1)
	}
	for _, choice := range []string{"anyOf", "oneOf", "allOf"} {
		if of, is := s[choice].([]any); is && len(of) > 0 {
			return g.ofSchema(of[g.random.IntN(len(of))], depth+1)
		}
	}
	if values, is := s["enum"].([]any); is {
		return values[g.random.IntN(len(values))]
	}
	switch s["type"] {
	case "object":
		object := map[string]any{}
		required, _ := s["required"].([]any)
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if slices.Contains(required, any(name)) || g.one(3) {
				object[name] = g.ofSchema(properties[name], depth+1)
			}
		}
		return object
	case "array":
		list := []any{}
		for range g.random.IntN(3) {
			list = append(list, g.ofSchema(s["items"], depth+1))
		}
		return list
	case "integer", "number":
		return g.random.IntN(8)
	case "boolean":
		return g.one(2)
	case "string":
		if s["format"] == "uuid" {
			return g.id()
		}
		return fmt.Sprint("agent-", g.random.IntN(100))
	default:
		return nil
	}
}

// ofTracing returns a valid body for a path of the tracing service or of the /dev endpoints.
func (g *Generator) ofTracing(path string) any {
	query := map[string]any{
		"session": []any{g.id()}, "is_root": g.one(2), "filter": texts[18+g.random.IntN(6)], "limit": 1 + g.random.IntN(100), "project_ids": []any{g.id()},
		"trace_filter": `eq(name, "agent")`, "min_start_time": "2026-05-01T00:00:00Z", "start_time": "2026-05-01T00:00:00Z",
	}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		if !g.one(3) {
			delete(query, key)
		}
	}
	switch {
	case strings.HasSuffix(path, "/batch"):
		return map[string]any{"post": []any{g.aRun(), g.aRun()}, "patch": []any{g.aRun()}}
	case strings.HasSuffix(path, "/query"), strings.HasSuffix(path, "/group"):
		return query
	case strings.HasSuffix(path, "/stats"):
		if g.one(2) {
			query["group_by"] = map[string]any{"attribute": []string{"name", "run_type", "tag", "metadata"}[g.random.IntN(4)], "path": "team", "max_groups": 3}
		}
		return query
	case strings.Contains(path, "/model-price-map"):
		return map[string]any{"name": g.id(), "match_pattern": "^example", "prompt_cost": 0.001, "completion_cost": "0.002", "provider": "a"}
	case strings.Contains(path, "/sessions"):
		return map[string]any{"name": g.id(), "description": "d", "extra": map[string]any{"metadata": map[string]any{"a": 1}}, "end_time": "2026-05-02T10:00:00Z"}
	case strings.Contains(path, "/runs"):
		return g.aRun()
	default:
		return map[string]any{"repo_url": "https://git.example.com/example-org/chat", "ref": "main", "name": "acme", "compute_type": "k8s", "compute_id": g.id(),
			"compute_config": map[string]any{"k8s_namespaces": []any{"a"}}, "version": "1"}
	}
}

// aRun returns a root or child run.
func (g *Generator) aRun() map[string]any {
	id, trace := uuid.NewString(), g.id()
	order := "20260502T100000000000Z" + id
	run := map[string]any{"id": id, "trace_id": id, "dotted_order": order, "name": "agent", "run_type": []string{"llm", "chain", "tool"}[g.random.IntN(3)],
		"start_time": "2026-05-02T10:00:00Z", "inputs": map[string]any{"messages": []any{map[string]any{"role": "user", "content": "hi"}}},
		"outputs":      map[string]any{"usage_metadata": map[string]any{"input_tokens": 3, "output_tokens": 4, "total_cost": 0.5}},
		"session_name": []string{"a", "b"}[g.random.IntN(2)], "tags": []any{"x"}, "extra": map[string]any{"metadata": map[string]any{"team": "red", "thread_id": "t"}},
		"events": []any{map[string]any{"name": "new_token", "time": "2026-05-02T10:00:01Z"}}}
	switch g.random.IntN(4) {
	case 0:
		run["trace_id"], run["parent_run_id"] = trace, trace
		run["dotted_order"] = "20260502T100000000000Z" + trace + "." + order
	case 1:
		delete(run, "trace_id")
		delete(run, "dotted_order")
		run["parent_run_id"] = trace
	}
	return run
}

// form returns a multipart body with runs, well-formed or not.
func (g *Generator) form() ([]byte, error) {
	var form bytes.Buffer
	for range 1 + g.random.IntN(4) {
		run := g.spoiled(g.aRun())
		text, err := json.Marshal(run)
		if err != nil {
			return nil, err
		}
		name := []string{"post.", "patch.", "feedback.", "attachment.", ""}[g.random.IntN(5)] + g.id() + []string{"", "", ".inputs", ".outputs", ".file"}[g.random.IntN(5)]
		fmt.Fprintf(&form, "--b\r\nContent-Disposition: form-data; name=%q\r\nContent-Type: %s\r\n", name,
			[]string{"application/json", "text/plain", "", "application/json; length=3", "image/png; length=1"}[g.random.IntN(5)])
		if g.one(2) {
			fmt.Fprintf(&form, "Content-Length: %d\r\n", len(text)+g.random.IntN(3)-1)
		}
		fmt.Fprintf(&form, "\r\n%s\r\n", text)
	}
	if !g.one(10) {
		form.WriteString("--b--\r\n")
	}
	return form.Bytes(), nil
}

// compressed returns the body encoded as its encoding says, or not.
func (g *Generator) compressed(body []byte) (_ []byte, encoding string, err error) {
	encoding = []string{"gzip", "zstd", "br", "identity"}[g.random.IntN(4)]
	if g.one(2) {
		return body, encoding, nil
	}
	var packed bytes.Buffer
	switch encoding {
	case "gzip":
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body)
		_ = w.Close()
	case "zstd":
		w, err := zstd.NewWriter(&packed, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, "", err
		}
		_, _ = w.Write(body)
		_ = w.Close()
	default:
		return body, encoding, nil
	}
	if data := packed.Bytes(); g.one(3) {
		return data[:g.random.IntN(len(data))], encoding, nil
	}
	return packed.Bytes(), encoding, nil
}
