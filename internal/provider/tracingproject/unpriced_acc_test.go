package tracingproject_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// logCalls logs a trace with a call of each model into the project chat. Each has 1,000 input and 200 output tokens, except for that of
// an unmeasured model. What follows a colon is the tier of the service.
func logCalls(plane *providertest.Plane, start string, models ...string) {
	root := uuid.NewString()
	place := "20260102T030305000000Z" + root
	runs := []any{map[string]any{
		"id": root, "trace_id": root, "dotted_order": place, "session_name": "chat", "name": "chat", "run_type": "chain", "start_time": start, "end_time": start,
	}}
	for _, model := range models {
		id := uuid.NewString()
		model, tier, _ := strings.Cut(model, ":")
		outputs := map[string]any{"usage_metadata": map[string]any{"input_tokens": 1000, "output_tokens": 200}}
		if model == "unmeasured" {
			outputs = map[string]any{"text": "Hello"}
		}
		if tier != "" {
			outputs["service_tier"] = tier
		}
		runs = append(runs, map[string]any{
			"id": id, "trace_id": root, "parent_run_id": root, "dotted_order": place + ".20260102T030305000000Z" + id, "session_name": "chat",
			"name": "model", "run_type": "llm", "start_time": start, "end_time": start, "inputs": map[string]any{"model": model},
			"outputs": outputs,
		})
	}
	plane.Call(http.MethodPost, "/api/v1/runs/batch", map[string]any{"post": runs}, nil)
}

func withDefaultPrices(cfg *devserver.Config) { cfg.NoDefaultPrices = false }

// TestAccTracingProjectDataSource_unpriced counts calls without a cost. OpenAI's price of gpt-4o-mini is 0.15 dollars per million input
// tokens and 0.60 per million output tokens.
func TestAccTracingProjectDataSource_unpriced(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, withDefaultPrices)
	plane.Deploy("chat")
	logCalls(plane, "2026-01-02T03:03:05Z", "gpt-4o-mini", "our-own", "our-other")
	logCalls(plane, "2026-01-02T02:03:05Z", "gpt-4o-mini:scale")
	logCalls(plane, "2026-01-02T00:03:05Z", "unmeasured")
	logCalls(plane, "2026-01-01T20:03:05Z")
	number, text := knownvalue.Int64Exact, config.StringVariable
	wants := func(runs, tokens knownvalue.Check, cost string, incomplete int64) map[string]knownvalue.Check {
		return map[string]knownvalue.Check{"unpriced_run_count": runs, "unpriced_tokens": tokens, "total_cost": knownvalue.StringExact(cost),
			"cost_incomplete_run_count": number(incomplete), "cost_unchecked_run_count": number(0)}
	}
	window := config.Variables{"window": text("10m")}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		statisticsStep(window, wants(number(2), number(2400), "0.00027", 0)),
		statisticsStep(config.Variables{"window": text("2h")}, wants(number(2), number(2400), "0.00054", 1)),
		statisticsStep(config.Variables{"window": text("1h"), "end_time": text("2026-01-02T02:30:00Z")}, wants(number(0), number(0), "0.00027", 1)),
		statisticsStep(config.Variables{"window": text("1h"), "end_time": text("2026-01-02T00:30:00Z")}, map[string]knownvalue.Check{
			"run_count": number(1), "unpriced_run_count": number(1), "unpriced_tokens": number(0), "total_cost": knownvalue.Null(),
		}),
		statisticsStep(config.Variables{"window": text("1h"), "end_time": text("2026-01-01T20:30:00Z")}, map[string]knownvalue.Check{
			"run_count": number(1), "unpriced_run_count": number(0), "unpriced_tokens": number(0), "total_cost": knownvalue.Null(),
		}),
		statisticsStep(config.Variables{"end_time": text("2026-01-02T02:30:00Z")}, wants(number(1), number(0), "0.00027", 1)),
		statisticsStep(config.Variables{"start_time": text("2026-01-02T03:00:00Z")}, wants(number(2), number(2400), "0.00027", 0)),
	}})
}

// TestAccTracingProjectDataSource_unread counts spans that the dev server doesn't understand: of a library whose names say neither what an
// attribute contains, nor which of its numbers are tokens of which side.
func TestAccTracingProjectDataSource_unread(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, withDefaultPrices)
	plane.Deploy("chat")
	span := func(id string, attributes map[string]string) any {
		list := []any{map[string]any{"key": "langsmith.trace.session_name", "value": map[string]any{"stringValue": "chat"}}}
		for key, value := range attributes {
			list = append(list, map[string]any{"key": key, "value": map[string]any{"stringValue": value}})
		}
		return map[string]any{"traceId": "5b8efff798038103d269b633813fc60c", "spanId": id, "name": "work",
			"startTimeUnixNano": "1767322985000000000", "endTimeUnixNano": "1767322986000000000", "attributes": list}
	}
	plane.Call(http.MethodPost, "/otel/v1/traces", map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{map[string]any{"spans": []any{
		span("eee19b7ec3c1b174", map[string]string{"acme.model": "gpt-4o-mini", "acme.tokens.used_up": "1200", "acme.input": "Hello"}),
		span("eee19b7ec3c1b175", map[string]string{"acme.talk": `[{"who":"user","text":"Hello"}]`}),
		span("eee19b7ec3c1b176", map[string]string{"http.route": "/"}),
	}}}}}}, nil)
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		statisticsStep(config.Variables{"window": config.StringVariable("10m")}, map[string]knownvalue.Check{
			"run_count": knownvalue.Int64Exact(3), "unpriced_run_count": knownvalue.Int64Exact(1), "unread_span_count": knownvalue.Int64Exact(2),
		}),
	}})
}

// TestAccTracingProjectDataSource_interrupted counts interrupts of graphs among the failed traces, of which the error rate can be told without them.
func TestAccTracingProjectDataSource_interrupted(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	plane.Deploy("chat")
	var runs []any
	for _, message := range []any{
		"GraphInterrupt((Interrupt(value='ok?', resumable=True, ns=['a:1']),))\n\nTraceback (most recent call last):", // As Python logs it.
		"[\n  {}\n]\n\nGraphInterrupt: [\n  {}\n]\n    at interrupt (a.js:1:2)",                                       // As JavaScript does.
		"ParentCommand(Command(goto='a', graph='b'))", nil,
	} {
		id := uuid.NewString()
		runs = append(runs, map[string]any{
			"id": id, "trace_id": id, "dotted_order": "20260102T030305000000Z" + id, "session_name": "chat", "name": "chat", "run_type": "chain",
			"start_time": "2026-01-02T03:03:05Z", "end_time": "2026-01-02T03:03:06Z", "error": message,
		})
	}
	plane.Call(http.MethodPost, "/api/v1/runs/batch", map[string]any{"post": runs}, nil)
	wants := func(interrupted, rate knownvalue.Check) map[string]knownvalue.Check {
		return map[string]knownvalue.Check{"run_count": knownvalue.Int64Exact(4), "interrupted_run_count": interrupted, "error_rate": rate}
	}
	window, exclude, two := config.StringVariable("10m"), config.BoolVariable(true), knownvalue.Int64Exact(2)
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		statisticsStep(config.Variables{"window": window}, wants(two, knownvalue.Float64Exact(0.75))),
		statisticsStep(config.Variables{"window": window, "exclude_interrupts": exclude}, wants(two, knownvalue.Float64Exact(0.25))),
		statisticsStep(config.Variables{"window": config.StringVariable("1s"), "exclude_interrupts": exclude}, map[string]knownvalue.Check{
			"interrupted_run_count": knownvalue.Int64Exact(0), "error_rate": knownvalue.Null(),
		}),
		statisticsStep(config.Variables{"exclude_interrupts": exclude}, map[string]knownvalue.Check{"": knownvalue.Null()}),
	}})
}
