package message

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// broken is what a test expects of a problem: its pointer, its rule, and the value in its message.
type broken struct {
	pointer, rule, value string
}

// ruleCase is a document and all its problems.
type ruleCase struct {
	name string
	doc  string
	want []broken
}

func checkRules(t *testing.T, side document.Side, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			problems, err := Validate([]byte(c.doc), side)
			assert.Must(t, err)
			var got, want []string
			for _, p := range problems {
				got = append(got, p.Pointer+" "+p.Rule)
				if p.Message == "" || p.Remedy == "" {
					t.Errorf("problem %s has no message or no remedy: %+v", p.Rule, p)
				}
			}
			for i, b := range c.want {
				want = append(want, b.pointer+" "+b.rule)
				if i < len(problems) && !strings.Contains(problems[i].Message, b.value) {
					t.Errorf("message %q doesn't contain %s", problems[i].Message, b.value)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s\n%v", diff, problems)
			}
		})
	}
}

// userDocument returns a native document with one user message with these blocks.
func userDocument(blocks string) string {
	return `{"messages":[{"role":"user","content":[` + blocks + `]}],"extras":{}}`
}

// nativeDocument returns a native document with these messages.
func nativeDocument(messages string) string { return `{"messages":[` + messages + `],"extras":{}}` }

func TestRulesOfMessages(t *testing.T) {
	t.Parallel()
	var all []string
	for _, role := range []string{"system", "reasoning", "user", "assistant", "tool"} {
		all = append(all, `{"role":"`+role+`","content":[]}`)
	}
	const at = "/messages/0/content/0"
	checkRules(t, document.Inputs, []ruleCase{
		{"an empty list", `{"messages":[]}`, nil},
		{"no list", `{"messages":{"role":"user"}}`, []broken{{"", document.RuleFormatRecognized, "no known format"}}},
		{"no object in the list", `{"messages":[{"role":"user","content":"a"},"b",3]}`,
			[]broken{{"/messages/1", document.RuleMessageObject, "a string"}, {"/messages/2", document.RuleMessageObject, "3"}}},
		{"another document", `{"question":"a"}`, []broken{{"", document.RuleFormatRecognized, "no known format"}}},
		{"no object", `7`, []broken{{"", document.RuleFormatRecognized, "no known format"}}},
		{"role every role", nativeDocument(strings.Join(all, ",")), nil},
		{"role missing", nativeDocument(`{"content":[]}`), []broken{{"/messages/0/role", document.RuleRoleRequired, "no role"}}},
		{"role unknown", nativeDocument(`{"role":"human","content":[]}`), []broken{{"/messages/0/role", document.RuleRoleKnown, `"human"`}}},
		{"role in capitals", nativeDocument(`{"role":"User","content":[]}`), []broken{{"/messages/0/role", document.RuleRoleKnown, `"User"`}}},
		{"role no string", nativeDocument(`{"role":["user"],"content":[]}`), []broken{{"/messages/0/role", document.RuleRoleKnown, "a list"}}},
		{"content missing", nativeDocument(`{"role":"user"}`), []broken{{"/messages/0/content", document.RuleContentRequired, "no content"}}},
		{"content null", nativeDocument(`{"role":"user","content":null}`), []broken{{"/messages/0/content", document.RuleContentBlocks, "null"}}},
		{"content an object", nativeDocument(`{"role":"user","content":{"type":"text"}}`), []broken{{"/messages/0/content", document.RuleContentBlocks, "an object"}}},
		{"content a string stands for one text", nativeDocument(`{"role":"user","content":"Hi"}`), nil},
		{"content a list of strings", userDocument(`"Hi"`), []broken{{"/messages/0/content/0", document.RuleContentBlocks, "a string"}}},
		{"type missing", userDocument(`{"text":"a"}`), []broken{{"/messages/0/content/0/type", document.RuleBlockType, "missing"}}},
		{"type no string", userDocument(`{"type":1}`), []broken{{"/messages/0/content/0/type", document.RuleBlockType, "1"}}},
		{"type unknown", userDocument(`{"type":"text","text":"a"},{"type":"hologram","depth":3},{"type":"hologram","extras":{"depth":3}}`), []broken{{"/messages/0/content/1/type", document.RuleBlockType, "hologram"}}},
		{"empty text", userDocument(`{"type":"text","text":""}`), nil},
		{"no text", userDocument(`{"type":"text"}`), []broken{{at + "/text", document.RuleTextRequired, "missing"}}},
		{"text of another type", userDocument(`{"type":"text","text":5}`), []broken{{at + "/text", document.RuleTextRequired, "5"}}},
		{"annotations", userDocument(`{"type":"text","text":"a","annotations":[{"a":1}]}`), nil},
		{"annotations that are no list", userDocument(`{"type":"text","text":"a","annotations":{}}`), []broken{{at + "/annotations", document.RuleAnnotationsArray, "an object"}}},
		{"annotations that are no objects", userDocument(`{"type":"text","text":"a","annotations":[1,{},"x"]}`),
			[]broken{{at + "/annotations/0", document.RuleAnnotationsArray, "1"}, {at + "/annotations/2", document.RuleAnnotationsArray, "a string"}}},
		{"extras that are no object", userDocument(`{"type":"text","text":"a","extras":[]}`), []broken{{at + "/extras", document.RuleExtrasObject, "a list"}}},
		{"reasoning with text", userDocument(`{"type":"reasoning","text":"a","extras":{"signature":"x"}}`), nil},
		{"reasoning no text", userDocument(`{"type":"reasoning"}`), []broken{{at + "/text", document.RuleTextRequired, "missing"}}},
		{"reasoning extras that are no object", userDocument(`{"type":"reasoning","text":"a","extras":"x"}`), []broken{{at + "/extras", document.RuleExtrasObject, "a string"}}},
		{"server tool call whole", userDocument(`{"type":"server_tool_call","id":"s","name":"a","args":{}}`), nil},
		{"server tool call nothing", userDocument(`{"type":"server_tool_call"}`), []broken{
			{at + "/id", document.RuleServerToolCallID, "missing"}, {at + "/name", document.RuleServerToolCallName, "missing"}, {at + "/args", document.RuleServerToolCallArgs, "missing"},
		}},
		{"server tool call args that are a list", userDocument(`{"type":"server_tool_call","id":"s","name":"a","args":[]}`), []broken{{at + "/args", document.RuleServerToolCallArgs, "a list"}}},
	})
}

func TestRuleMediaBlocks(t *testing.T) {
	t.Parallel()
	const at = "/messages/0/content/0"
	for kind, types := range map[string]struct{ good, bad string }{
		document.BlockImage: {"image/png", "video/mp4"},
		document.BlockFile:  {"application/pdf", "pdf"},
		document.BlockAudio: {"audio/wav", "image/png"},
		document.BlockVideo: {"video/mp4", "audio/wav"},
	} {
		block := func(members string) string { return userDocument(`{"type":"` + kind + `"` + members + `}`) }
		checkRules(t, document.Inputs, []ruleCase{
			{kind + " with data", block(`,"base64":"AAAA","mime_type":"` + types.good + `"`), nil},
			{kind + " with a url in place of data", block(`,"url":"https://e.x/a"`), nil},
			{kind + " with an id in place of data", block(`,"id":"a"`), nil},
			{kind + " without data", block(``), []broken{{at, document.RuleMediaSource, kind}}},
			{kind + " with empty data", block(`,"base64":""`), []broken{{at, document.RuleMediaSource, kind}}},
			{kind + " with data of another type", block(`,"base64":1,"url":null`),
				[]broken{{at + "/base64", document.RuleMediaSource, "1"}, {at + "/url", document.RuleMediaSource, "null"}}},
			{kind + " with another media type", block(`,"url":"x","mime_type":"` + types.bad + `"`), []broken{{at + "/mime_type", document.RuleMimeType, types.bad}}},
			{kind + " with half a media type", block(`,"url":"x","mime_type":"` + kind + `/"`), []broken{{at + "/mime_type", document.RuleMimeType, kind + "/"}}},
			{kind + " with a media type that is no string", block(`,"url":"x","mime_type":0`), []broken{{at + "/mime_type", document.RuleMimeType, "0"}}},
		})
	}
}

func TestRuleToolCallBlock(t *testing.T) {
	t.Parallel()
	const at = "/messages/0/content/0"
	call := func(members string) string {
		return nativeDocument(`{"role":"assistant","content":[{"type":"tool_call"` + members + `}]}`)
	}
	checkRules(t, document.Inputs, []ruleCase{
		{"args alone", call(`,"args":{}`), nil},
		{"no args", call(`,"name":"a","id":"c"`), []broken{{at + "/args", document.RuleToolCallArgs, "missing"}}},
		{"calls that are no list", nativeDocument(`{"role":"assistant","content":[{"type":"reasoning","text":"a"}],"tool_calls":{}}`), []broken{{"/messages/0/tool_calls", document.RuleToolCallArgs, "an object"}}},
		{"calls that are null", nativeDocument(`{"role":"assistant","content":[{"type":"reasoning","text":"a"}],"tool_calls":null}`), nil},
		{"args as text", call(`,"args":"{}"`), []broken{{at + "/args", document.RuleToolCallArgs, "a string"}}},
		{"name and id of other types", call(`,"args":{},"name":1,"id":2`),
			[]broken{{at + "/name", document.RuleToolCallName, "1"}, {at + "/id", document.RuleToolCallID, "2"}}},
		{"an id twice", nativeDocument(`{"role":"assistant","content":[{"type":"tool_call","args":{},"id":"c"},{"type":"tool_call","args":{},"id":"c"}]}`),
			[]broken{{"/messages/0/content/1/id", document.RuleToolCallIDUnique, `"c"`}}},
	})
}

func TestRuleServerToolResultBlock(t *testing.T) {
	t.Parallel()
	const call, at = `{"type":"server_tool_call","id":"s","name":"a","args":{}}`, "/messages/0/content/1"
	result := func(members string) string {
		return userDocument(call + `,{"type":"server_tool_result"` + members + `}`)
	}
	for _, output := range []string{`"text"`, `1.5`, `true`, `null`, `{"hits":3}`, `[1,"a"]`} {
		checkRules(t, document.Inputs, []ruleCase{{"output " + output, result(`,"tool_call_id":"s","status":"success","output":` + output), nil}})
	}
	checkRules(t, document.Inputs, []ruleCase{
		{"success", result(`,"tool_call_id":"s","status":"success","output":[1]`), nil},
		{"error without output", result(`,"tool_call_id":"s","status":"error","id":"r"`), nil},
		{"nothing", result(``), []broken{{at + "/tool_call_id", document.RuleServerToolResultCall, "missing"}, {at + "/status", document.RuleServerToolResultStatus, "missing"}}},
		{"unknown status", result(`,"tool_call_id":"s","status":"done"`), []broken{{at + "/status", document.RuleServerToolResultStatus, `"done"`}}},
		{"an id that is no string", result(`,"tool_call_id":"s","status":"error","id":1`), []broken{{at + "/id", document.RuleServerToolResultID, "1"}}},
		{"another call", result(`,"tool_call_id":"t","status":"error"`), []broken{{at + "/tool_call_id", document.RuleServerToolResultCall, `"t"`}}},
		{"before its call", userDocument(`{"type":"server_tool_result","tool_call_id":"s","status":"success"},` + call),
			[]broken{{"/messages/0/content/0/tool_call_id", document.RuleServerToolResultCall, `"s"`}}},
	})
}

func TestRuleToolCallIDRole(t *testing.T) {
	t.Parallel()
	const call = `{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"a","args":{}}]},`
	var cases []ruleCase
	for _, role := range []string{"system", "reasoning", "user", "assistant"} {
		cases = append(cases, ruleCase{
			role, nativeDocument(call + `{"role":"` + role + `","content":[],"tool_call_id":"c"}`),
			[]broken{{"/messages/1/tool_call_id", document.RuleToolCallIDRole, role}},
		})
	}
	checkRules(t, document.Inputs, append(cases,
		ruleCase{"tool", nativeDocument(call + `{"role":"tool","content":[],"tool_call_id":"c"}`), nil},
		ruleCase{"tool without an id", nativeDocument(call + `{"role":"tool","content":[]}`), nil},
		ruleCase{"no string", nativeDocument(call + `{"role":"tool","content":[],"tool_call_id":1}`), []broken{{"/messages/1/tool_call_id", document.RuleToolCallID, "1"}}},
	))
}

// TestRemedyListsIDs checks that the remedy lists the valid IDs, up to a limit.
func TestRemedyListsIDs(t *testing.T) {
	t.Parallel()
	for calls, want := range map[int]string{
		0: "set it to the ID of a call in an earlier assistant message", 2: `: "c0", "c1"`, 5: `: "c0", "c1", "c2", "c3", "c4"`, 6: `"c4", …`,
	} {
		blocks := make([]string, calls)
		for i := range blocks {
			blocks[i] = fmt.Sprintf(`{"type":"tool_call","id":"c%d","name":"a","args":{}}`, i)
		}
		problems, err := Validate([]byte(nativeDocument(`{"role":"assistant","content":[`+strings.Join(blocks, ",")+`]},`+
			`{"role":"tool","tool_call_id":"x","content":[{"type":"text","text":"a"}]}`)), document.Inputs)
		assert.Must(t, err)
		var remedies []string
		for _, p := range problems {
			if p.Rule == document.RuleToolCallIDKnown {
				remedies = append(remedies, p.Remedy)
			}
		}
		if len(remedies) != 1 || !strings.HasSuffix(remedies[0], want) {
			t.Errorf("after %d calls, remedies = %q, want one that ends with %q", calls, remedies, want)
		}
	}
}

func TestRuleToolCallIDKnown(t *testing.T) {
	t.Parallel()
	const block, answer = `{"type":"tool_call","id":"c","name":"a","args":{}}`, `{"role":"tool","content":[],"tool_call_id":"c"}`
	checkRules(t, document.Inputs, []ruleCase{
		{"a block of the content", nativeDocument(`{"role":"assistant","content":[` + block + `]},` + answer), nil},
		{"an entry of tool_calls", nativeDocument(`{"role":"assistant","content":[],"tool_calls":[{"id":"c","name":"a","args":{}}]},` + answer), nil},
		{"with messages between", nativeDocument(`{"role":"assistant","content":[` + block + `]},{"role":"user","content":[]},` + answer), nil},
		{"no call", nativeDocument(answer), []broken{{"/messages/0/tool_call_id", document.RuleToolCallIDKnown, `"c"`}}},
		{"a later call", nativeDocument(answer + `,{"role":"assistant","content":[` + block + `]}`), []broken{{"/messages/0/tool_call_id", document.RuleToolCallIDKnown, `"c"`}}},
		{"a call of a user", nativeDocument(`{"role":"user","content":[` + block + `]},` + answer), []broken{{"/messages/1/tool_call_id", document.RuleToolCallIDKnown, `"c"`}}},
		{"a call of a server's tool", nativeDocument(`{"role":"assistant","content":[{"type":"server_tool_call","id":"c","name":"a","args":{}}]},` + answer),
			[]broken{{"/messages/1/tool_call_id", document.RuleToolCallIDKnown, `"c"`}}},
	})
}

func TestRuleUsageMetadata(t *testing.T) {
	t.Parallel()
	const at = "/messages/0/usage_metadata"
	usage := func(value string) string {
		return nativeDocument(`{"role":"assistant","content":[],"usage_metadata":` + value + `}`)
	}
	checkRules(t, document.Outputs, []ruleCase{
		{"all keys", usage(`{"input_tokens":1,"output_tokens":2,"total_tokens":3,"input_token_details":{"cache_read":1,"foo":0.5},` +
			`"output_token_details":{},"input_cost":1e-6,"output_cost":0,"total_cost":0.1,"input_cost_details":{"cache_read":1e-7},"output_cost_details":{}}`), nil},
		{"null", usage(`null`), nil},
		{"members that are null", usage(`{"input_tokens":1,"output_tokens":null,"total_cost":null,"input_token_details":{"audio":null},"output_token_details":null}`), nil},
		{"counts with exponents", usage(`{"input_tokens":1e3,"output_tokens":12.0,"total_tokens":1.012e3,"input_token_details":{"audio":1E1},"total_cost":5e-6}`), nil},
		{"counts that are none", usage(`{"input_tokens":1e-3,"output_tokens":1e400,"total_tokens":99999999999999999999,"input_cost":-1e-3}`), []broken{
			{at + "/input_tokens", document.RuleUsageMetadataValue, "1e-3"}, {at + "/output_tokens", document.RuleUsageMetadataValue, "1e400"},
			{at + "/total_tokens", document.RuleUsageMetadataValue, "99999999999999999999"}, {at + "/input_cost", document.RuleUsageMetadataValue, "-1e-3"},
		}},
		{"no object", usage(`[1]`), []broken{{at, document.RuleUsageMetadataObject, "a list"}}},
		{"other keys", usage(`{"prompt_tokens":1,"a/b":2}`), []broken{{at + "/prompt_tokens", document.RuleUsageMetadataKey, "prompt_tokens"}, {at + "/a~1b", document.RuleUsageMetadataKey, "a/b"}}},
		{"counts", usage(`{"input_tokens":"1","output_tokens":1.5,"total_tokens":-1}`), []broken{
			{at + "/input_tokens", document.RuleUsageMetadataValue, `"1"`}, {at + "/output_tokens", document.RuleUsageMetadataValue, "1.5"}, {at + "/total_tokens", document.RuleUsageMetadataValue, "-1"},
		}},
		{"costs and details", usage(`{"input_cost":"0.1","input_token_details":[],"output_cost_details":{"a":true}}`), []broken{
			{at + "/input_cost", document.RuleUsageMetadataValue, `"0.1"`}, {at + "/input_token_details", document.RuleUsageMetadataValue, "a list"},
			{at + "/output_cost_details/a", document.RuleUsageMetadataValue, "true"},
		}},
		{"beside a choice", `{"choices":[{"message":{"role":"assistant","content":"a"}}],"usage_metadata":{"total_tokens":"3"}}`,
			[]broken{{"/usage_metadata/total_tokens", document.RuleUsageMetadataValue, `"3"`}}},
	})
}

// TestValidateReportsEverything expects all problems of a document, in the document's order.
func TestValidateReportsEverything(t *testing.T) {
	t.Parallel()
	checkRules(t, document.Inputs, []ruleCase{{
		"everything", `{"messages":[{"role":"robot","content":[{"type":"text"},{"type":"image","mime_type":"text/plain"}]},` +
			`{"content":7,"tool_call_id":"x"},{"role":"tool","tool_call_id":"x","content":[],"usage_metadata":{"tokens":1}}],"extras":{}}`,
		[]broken{
			{"/messages/0/role", document.RuleRoleKnown, "robot"},
			{"/messages/0/content/0/text", document.RuleTextRequired, "missing"},
			{"/messages/0/content/1", document.RuleMediaSource, "image"},
			{"/messages/0/content/1/mime_type", document.RuleMimeType, "text/plain"},
			{"/messages/1/role", document.RuleRoleRequired, ""},
			{"/messages/1/content", document.RuleContentBlocks, "7"},
			{"/messages/1/tool_call_id", document.RuleToolCallIDRole, "x"},
			{"/messages/2/tool_call_id", document.RuleToolCallIDKnown, "x"},
			{"/messages/2/usage_metadata/tokens", document.RuleUsageMetadataKey, "tokens"},
		},
	}})
}

func TestProblemString(t *testing.T) {
	t.Parallel()
	problems, err := Validate([]byte(`{"question":"`+strings.Repeat("ä", 100)+`"}`), document.Inputs)
	if err != nil || len(problems) != 1 {
		t.Fatal(problems, err)
	}
	line := fmt.Sprint(problems[0])
	if !strings.HasPrefix(line, "(document): the inputs have no known format (format_recognized); use one of the shapes") || strings.Contains(line, "ä") {
		t.Error(line)
	}
	if _, err := Validate([]byte(`{"messages":`), document.Inputs); err == nil || !strings.Contains(err.Error(), "not JSON") {
		t.Errorf("error = %v, want that it isn't JSON", err)
	}
}

// TestValidateLists checks that a long list of problems ends with the number of omitted ones.
func TestValidateLists(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{99: "", 100: "", 101: "1 more problems are not listed", 5000: "4900 more problems are not listed"} {
		problems, err := Validate(fmt.Appendf(nil, `{"messages":[%s]}`, strings.TrimSuffix(strings.Repeat(`{"content":[]},`, n), ",")), document.Inputs)
		assert.Must(t, err)
		last := problems[len(problems)-1]
		if want == "" && (len(problems) != n || last.Rule == document.RuleMoreProblems) ||
			want != "" && (len(problems) != document.MaxListed+1 || last.Rule != document.RuleMoreProblems || last.Message != want) {
			t.Errorf("%d problems: listed %d, the last is %s; want %q at the end", n, len(problems), last, want)
		}
	}
}
