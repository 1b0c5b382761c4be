package usage

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// contractField is a number in a usage type of a provider's package.
type contractField struct{ Package, Union, Kind, Member, Type string }

func (f contractField) union() string { return f.Package + " " + f.Union }

// TestContractFields reads every number in the usage types of the contract, alone beside the totals of both sides: its count must
// be where the mapping says, and must change nothing if the mapping says that it is no count of its own.
func TestContractFields(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../testdata/contract.json")
	assert.Must(t, err)
	var list struct{ Members []contractField }
	assert.Must(t, json.Unmarshal(text, &list))
	mapped, totals := mappedFields(t), map[string]string{}
	var fields []contractField
	for _, f := range list.Members {
		if f.Kind != "field" {
			continue
		}
		fields = append(fields, f)
		if kind := mapped[f.union()][f.Member]; (kind == "input" || kind == "output") && !strings.Contains(f.Member, "[]") {
			block := totals[f.union()]
			if block == "" {
				block = "{}"
			}
			totals[f.union()] = withField(t, block, f.Member, json.Number("1000"))
		}
	}
	read := 0
	for _, f := range fields {
		kind := mapped[f.union()][f.Member]
		if f.Type != "number" && !strings.HasSuffix(kind, "_detail") {
			continue
		}
		block := totals[f.union()]
		if kind == "total" || strings.HasPrefix(kind, "billed") || strings.HasPrefix(f.Member, "iterations[]") {
			block = "{}" // They count if there is nothing else, or on their own.
		}
		for path, want := range placesOf(f.Member, kind) {
			read++
			got := strings.ReplaceAll(strings.Join(whereIs(readField(t, f, block, path)), ", "), " +", "")
			assert.Same(t, fmt.Sprintf("%s, %s is mapped to %q", f.union(), path, kind), want, got)
		}
	}
	if read < 300 {
		t.Errorf("%d fields, want at least 300", read)
	}
}

// readField reads a block with 7 at a path. That of LangChain is the form of tracing services, too.
func readField(t *testing.T, f contractField, block, path string) Usage {
	t.Helper()
	block = withField(t, block, path, json.Number("7"))
	if f.Union == "UsageMetadata" && f.Package != "@google/genai" {
		u, _ := Read([]byte(block))
		return u
	}
	return readBlock(t, f.union()+", "+path, block)
}

// mappedFields reads what the fields of each union are mapped to.
func mappedFields(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile("../message/contract/mapping.txt")
	assert.Must(t, err)
	mapped := map[string]map[string]string{}
	var unions []string
	heading := false
	for line := range strings.Lines(string(text)) {
		head, isHeading := strings.CutPrefix(strings.TrimSpace(line), "= ")
		if isHeading {
			if !heading {
				unions = nil
			}
			pkg, names, _ := strings.Cut(head, ": ")
			for name := range strings.FieldsSeq(names) {
				unions = append(unions, pkg+" "+name)
				mapped[pkg+" "+name] = map[string]string{}
			}
		}
		heading = isHeading
		if members, kind, ok := strings.Cut(strings.TrimSpace(line), " -> "); ok && !strings.ContainsAny(line[:1], "#@!=") {
			for member := range strings.SplitSeq(members, ", ") {
				for _, union := range unions {
					mapped[union][member] = kind
				}
			}
		}
	}
	return mapped
}

// placesOf returns the paths of a field, and where its count is in a usage: empty if it is no count of its own.
func placesOf(member, kind string) map[string]string {
	side, part, _ := strings.Cut(kind, "_")
	modality, isModality := strings.CutSuffix(kind, "_modality")
	places := map[string]string{}
	switch {
	case isModality:
		for _, medium := range []string{"text", "audio", "image", "video", "document"} {
			want := modality + " " + medium
			if modality == "tool_use_input" || modality == "cache_read" {
				want = placeOf(modality + "_" + medium)
			}
			places[strings.Replace(member, "[]", "[modality="+strings.ToUpper(medium)+"]", 1)] = want
		}
	case kind == "cache_write_ttl":
		for _, ttl := range []string{"5m", "1h"} {
			places[strings.Replace(member, "[]", "[ttl="+ttl+"]", 1)] = placeOf("cache_write_" + ttl)
		}
	case strings.HasSuffix(member, "TokensDetails.*") || strings.HasSuffix(member, "TokensDetails[].*"):
		// The agents' package has the details of the responses.
		key, want := "cached_tokens", "cache_read"
		if side == "output" {
			key, want = "reasoning_tokens", "reasoning"
		}
		if part != "detail" {
			want = kind
		}
		places[strings.Replace(member, "*", key, 1)] = placeOf(want)
	case part == "detail":
		places[strings.Replace(member, "*", "any", 1)] = side + " any"
	case part == "cost_detail":
		places[strings.Replace(member, "*", "any", 1)] = side + " cost of any"
	default:
		places[strings.Replace(strings.Replace(member, "iterations[]", "iterations[type=compaction]", 1), "*", "any", 1)] = placeOf(kind)
	}
	return places
}

// placeOf returns where a usage has what the mapping calls a kind.
func placeOf(kind string) string {
	for _, none := range []string{"not tokens: ", "within ", "aside: "} {
		if strings.HasPrefix(kind, none) {
			return ""
		}
	}
	if place, ok := map[string]string{
		"input": "input", "output": "output", "total": "total", "billed_input": "input", "billed_output": "output",
		"cost": "total_cost", "input_cost": "input_cost", "output_cost": "output_cost",
		"reasoning": "output reasoning", "cache_read": "input cache_read", "cache_read_text": "input cache_read",
		"cache_write": "input cache_creation", "tool_use_input": "input tool_use", "tool_use_input_text": "input tool_use",
	}[kind]; ok {
		return place
	}
	for prefix, form := range map[string]string{
		"cache_write_": "input ephemeral_*_input_tokens", "cache_read_": "input *_cache_read", "tool_use_input_": "input *",
		"input_": "input *", "output_": "output *",
	} {
		if part, ok := strings.CutPrefix(kind, prefix); ok {
			return strings.ReplaceAll(form, "*", part)
		}
	}
	return "a known kind"
}
