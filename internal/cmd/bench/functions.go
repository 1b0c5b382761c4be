package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// functionCalls is the number of calls of each function in a plan, and functionSize the number of bytes passed to each
// call. Growth is measured with half as many calls of twice the size.
const (
	functionCalls = 200
	functionSize  = 50 << 10
)

// functionSubjects call a function for var.amount times. The baseline comes first.
var functionSubjects = []subject{
	functionSubject("jsondecode", "jsondecode(var.text).messages"),
	functionSubject("normalize_messages", "provider::agentplane::normalize_messages(var.text, \"inputs\").messages"),
	functionSubject("validate_messages", "provider::agentplane::validate_messages(var.text, \"inputs\")"),
	functionSubject("convert_messages", "provider::agentplane::convert_messages(var.text, \"messages\", \"inputs\").json"),
}

func functionSubject(name, expression string) subject {
	return subject{name: name, provider: "real", source: "agentplane/agentplane", config: required("agentplane", "agentplane/agentplane") +
		amountVariable + "\nvariable \"text\" {}\n\noutput \"lengths\" {\n  value = [for i in range(var.amount) : length(" + expression + ")]\n}\n"}
}

// printFunctions measures plans that call a function many times. The first call of a provider's function starts the
// provider, so the relevant time is that beyond a plan with a single call.
func printFunctions(ctx context.Context, b *bench) error {
	t := table{header: []string{"function", "1 call", strconv.Itoa(functionCalls) + " calls", "ms per call", "× jsondecode", "CPU ms", "× jsondecode", "provider's CPU", "growth"}}
	var least effort
	for _, s := range functionSubjects {
		var efforts [3]effort
		for i, size := range []int{functionSize, functionSize, 2 * functionSize} {
			var err error
			if efforts[i], err = measureFunction(ctx, b, s, []int{1, functionCalls, functionCalls / 2}[i], size); err != nil {
				return err
			}
		}
		one, many := efforts[0], efforts[1]
		each, twice := many.beyond(one, functionCalls-1), efforts[2].beyond(one, functionCalls/2-1)
		if s.name == functionSubjects[0].name {
			least = each
		}
		t.add(s.name, seconds(one.wall), seconds(many.wall), milliseconds(each.wall), decimals(ratio(each.wall, least.wall), 1),
			milliseconds(each.cpu), decimals(ratio(each.cpu, least.cpu), 1), milliseconds(each.pluginCPU),
			decimals(growth(point{functionSize, each.cpu}, point{2 * functionSize, twice.cpu}), 2))
	}
	b.printf("Functions: seconds of a plan that calls a function with a conversation of %d KB, median of %d; the time of each call after the first, "+
		"also in CPU time\n(CLI and provider); growth is the exponent of the CPU time for texts of twice the size\n\n%s\n", functionSize>>10, repetitions, &t)
	return nil
}

// beyond returns the additional time of each of n calls over another plan.
func (e effort) beyond(less effort, calls time.Duration) effort {
	each := effort{wall: (e.wall - less.wall) / calls, cpu: (e.cpu - less.cpu) / calls}
	each.pluginCPU = (e.pluginCPU - less.pluginCPU) / calls
	return each
}

func milliseconds(d time.Duration) string { return decimals(d.Seconds()*1000, 1) }

// measureFunction measures a plan with a number of calls, each with a text of the given size.
func measureFunction(ctx context.Context, b *bench, s subject, calls, size int) (effort, error) {
	cli, err := b.tools.terraform(ctx, s, []string{fmt.Sprintf("TF_VAR_amount=%d", calls), "TF_VAR_text=" + conversation(size)})
	if err != nil {
		return effort{}, err
	}
	efforts := make([]effort, repetitions)
	for i := range efforts {
		if efforts[i], err = cli.run(ctx, "plan", "-no-color"); err != nil {
			return effort{}, fmt.Errorf("%d × %s: %w", calls, s.name, err)
		}
	}
	e := middle(efforts)
	fmt.Fprintf(b.progress, "%d × %s of %d KB: %s s\n", calls, s.name, size>>10, seconds(e.wall))
	return e, nil
}

// conversation returns a request of approximately the given size: questions, tool calls, their results and answers.
func conversation(size int) string {
	var b strings.Builder
	b.WriteString(`{"model":"gpt-4o-mini","messages":[{"role":"system","content":"Be brief."}`)
	text := strings.Repeat("The quick brown fox. ", 14)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `,{"role":"user","content":%[1]q},{"role":"assistant","content":null,"tool_calls":[{"id":"call_%[2]d","type":"function",`+
			`"function":{"name":"look_up","arguments":"{\"query\":\"fox %[2]d\"}"}}]},{"role":"tool","tool_call_id":"call_%[2]d","content":%[1]q},`+
			`{"role":"assistant","content":%[1]q}`, text, i)
	}
	b.WriteString(`]}`)
	return b.String()
}
