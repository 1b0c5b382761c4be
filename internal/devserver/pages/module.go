package pages

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// showTest shows a test for Terraform of what was logged about a run, which succeeds as long as the run's answer is read like that.
func (s *Service) showTest(c *rest.Call, frame web.Frame) (web.View, error) {
	row, said, err := s.loggedRun(c)
	if err != nil {
		return nil, err
	}
	t := moduleTest{name: labelOf(row.Name)}
	for _, side := range []document.Side{document.Inputs, document.Outputs} {
		if raw := said[side.String()]; raw != nil {
			t.read(raw, side)
		}
	}
	if len(t.sides) == 0 {
		return nil, form.Missing("The run has no messages in a known format.")
	}
	view := web.TestView{
		Frame: frame, RunID: row.ID, TraceID: row.TraceID, RunName: row.Name, Configuration: t.configuration(), Test: t.test(),
		FixtureName: t.fixture(), TestName: t.name + ".tftest.hcl",
	}
	return view, nil
}

// moduleTest is a module whose tests read a run.
type moduleTest struct {
	name  string
	sides []testedSide
	// answers says that the outputs have messages: their text and the names of the tools that they call.
	answers bool
	answer  string
	calls   []string
}

// testedSide is a side of the run in a known format, and the rules that it violates.
type testedSide struct {
	document.Side
	rules []string
}

func (t *moduleTest) read(raw json.RawMessage, side document.Side) {
	found, err := message.Normalize(raw, side)
	if err != nil || found.Format == document.FormatUnrecognized {
		return
	}
	rules := form.Collect(message.ValidateRead(found), func(p document.Problem) string { return p.Rule })
	t.sides = append(t.sides, testedSide{side, rules})
	if side == document.Inputs {
		return
	}
	t.answers = true
	t.answer = strings.Join(form.Collect(found.Messages, func(m document.Message) string { return m.Text() }), "\n")
	for _, m := range found.Messages {
		for _, b := range m.Content {
			if b.Type == "tool_call" && b.Name != nil {
				t.calls = append(t.calls, *b.Name)
			}
		}
	}
}

func (t *moduleTest) fixture() string { return t.name + ".run.json" }

// configuration is the module: it reads the run.
func (t *moduleTest) configuration() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Reads the run in %[1]s. The tests in %[2]s.tftest.hcl assert on the outputs: run `+"`terraform test`"+` here.
terraform {
  required_version = ">= 1.8" # For provider functions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

locals {
  run = jsondecode(file("${path.module}/%[1]s"))
`, t.fixture(), t.name)
	if t.answers {
		b.WriteString("  answer = provider::agentplane::normalize_messages(jsonencode(local.run.outputs), \"outputs\").messages\n")
	}
	b.WriteString("}\n\noutput \"problems\" {\n  value = {\n")
	for _, side := range t.sides {
		fmt.Fprintf(&b, "    %[1]s = provider::agentplane::validate_messages(jsonencode(local.run.%[1]s), \"%[1]s\")\n", side)
	}
	b.WriteString("  }\n}\n")
	if t.answers {
		b.WriteString(`
output "answer" {
  value = join("\n", local.answer[*].text)
}

output "tool_calls" {
  value = [for block in flatten(local.answer[*].content) : block.name if block.type == "tool_call"]
}
`)
	}
	return string(hclwrite.Format([]byte(b.String())))
}

// maxAnswer is how much of an answer a test compares.
const maxAnswer = 400

// test asserts what the module reads now.
func (t *moduleTest) test() string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s {\n  command = plan\n", literal(t.name))
	if t.answers {
		condition := "output.answer == " + literal(t.answer)
		if beginning, more := form.Beginning(t.answer, maxAnswer); more {
			condition = "startswith(output.answer, " + literal(beginning) + ")"
		}
		b.WriteString("\n  # Replace this by what a good answer has in common.")
		assert(&b, condition, `"The answer is: ${output.answer}"`)
		assert(&b, "jsonencode(output.tool_calls) == jsonencode("+literals(t.calls)+")", `"The answer calls ${jsonencode(output.tool_calls)}."`)
	}
	for _, side := range t.sides {
		condition := fmt.Sprintf("length(output.problems.%s) == 0", side)
		if len(side.rules) > 0 {
			condition = fmt.Sprintf("jsonencode(output.problems.%s[*].rule) == jsonencode(%s)", side, literals(side.rules))
		}
		assert(&b, condition, fmt.Sprintf(`"The %[1]s have other problems: ${jsonencode(output.problems.%[1]s)}"`, side))
	}
	b.WriteString("}\n")
	return string(hclwrite.Format([]byte(b.String())))
}

func assert(b *strings.Builder, condition, complaint string) {
	fmt.Fprintf(b, "\n  assert {\n    condition = %s\n    error_message = %s\n  }\n", condition, complaint)
}

func literal(text string) string {
	return string(hclwrite.TokensForValue(cty.StringVal(strings.ToValidUTF8(text, "\uFFFD"))).Bytes())
}

func literals(texts []string) string {
	return "[" + strings.Join(form.Collect(texts, literal), ", ") + "]"
}
