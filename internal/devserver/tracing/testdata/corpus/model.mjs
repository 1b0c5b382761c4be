// A stand-in for the APIs of OpenAI and Anthropic. What it answers, and what it counts, depends only on the last message, so the
// tests know it: they have the same answers.
import { createServer } from "node:http";

const answers = {
  "What is the capital of Italy?": { text: "Rome.", input: 20, cached: 5, output: 10 },
  "Count to three.": { text: "One, two, three.", input: 12, cached: 0, output: 6 },
  "What is the weather in Rome?": { call: { id: "call_1", name: "weather", arguments: '{"city":"Rome"}' }, input: 30, cached: 0, output: 8 },
  sunny: { text: "It is sunny in Rome.", input: 45, cached: 0, output: 4 },
  "Name a city.": { text: '{"city":"Rome"}', input: 14, cached: 0, output: 5 },
};
const failure = "The model is overloaded.";
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

// words cuts a text for a stream.
const words = (text) => text.split(/(?<= )/);

// lastText returns the text of the last message, or of the last result of a tool, in any API.
function lastText(messages) {
  if (typeof messages === "string") return messages;
  const last = messages.at(-1);
  const content = last.output ?? last.content;
  if (typeof content === "string") return content;
  const part = content.at(-1);
  return part.type === "tool_result" ? lastText([part]) : part.text;
}

const answerTo = (messages) => {
  const text = lastText(messages);
  return answers[text] ?? Object.entries(answers).find(([key]) => text.includes(key))?.[1];
};

const apis = {
  "/v1/chat/completions": (body) => {
    const answer = answerTo(body.messages);
    if (answer === undefined) return undefined;
    const { text, call } = answer;
    const calls = call && [{ id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } }];
    const finish = call ? "tool_calls" : "stop";
    const usage = {
      prompt_tokens: answer.input, completion_tokens: answer.output, total_tokens: answer.input + answer.output,
      prompt_tokens_details: { cached_tokens: answer.cached }, completion_tokens_details: { reasoning_tokens: 0 },
    };
    const base = { id: "chatcmpl-1", created: 1777716000, model: `${body.model}-2025-04-14` };
    const chunk = (delta, more = {}) => ({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null, ...more }] });
    return {
      whole: { ...base, object: "chat.completion", usage, choices: [{ index: 0, finish_reason: finish, logprobs: null,
        message: { role: "assistant", content: text ?? null, refusal: null, ...(calls && { tool_calls: calls }) } }] },
      parts: [
        chunk({ role: "assistant", content: "" }),
        ...(text ? words(text).map((content) => chunk({ content })) : [chunk({ tool_calls: calls.map((c, index) => ({ index, ...c })) })]),
        chunk({}, { finish_reason: finish }),
        ...(body.stream_options?.include_usage ? [{ ...base, object: "chat.completion.chunk", choices: [], usage }] : []),
        "[DONE]",
      ],
    };
  },

  "/v1/responses": (body) => {
    const answer = answerTo(body.input);
    if (answer === undefined) return undefined;
    const { text, call } = answer;
    const item = call
      ? { type: "function_call", id: "fc_1", call_id: call.id, name: call.name, arguments: call.arguments, status: "completed" }
      : { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [], logprobs: [] }] };
    const base = {
      id: "resp_1", object: "response", created_at: 1777716000, model: `${body.model}-2025-04-14`, error: null, incomplete_details: null,
      instructions: body.instructions ?? null, metadata: {}, parallel_tool_calls: true, temperature: 1, top_p: 1, tool_choice: "auto",
      tools: body.tools ?? [], text: body.text ?? { format: { type: "text" } }, truncation: "disabled", service_tier: "default",
    };
    const whole = { ...base, status: "completed", output: [item], usage: {
      input_tokens: answer.input, input_tokens_details: { cached_tokens: answer.cached },
      output_tokens: answer.output, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: answer.input + answer.output,
    } };
    const at = { output_index: 0, item_id: item.id, content_index: 0 };
    const begun = { ...item, status: "in_progress", ...(call ? { arguments: "" } : { content: [] }) };
    const parts = [
      { type: "response.created", response: { ...base, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: begun },
      ...(call ? [
        { type: "response.function_call_arguments.delta", ...at, delta: call.arguments },
        { type: "response.function_call_arguments.done", ...at, arguments: call.arguments },
      ] : [
        { type: "response.content_part.added", ...at, part: { type: "output_text", text: "", annotations: [] } },
        ...words(text).map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
        { type: "response.output_text.done", ...at, text, logprobs: [] },
      ]),
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: whole },
    ];
    return { whole, parts: parts.map((part, sequence_number) => ({ ...part, sequence_number })) };
  },

  "/v1/embeddings": (body) => {
    const inputs = [body.input].flat();
    const vector = [0.5, -0.25, 1];
    const packed = Buffer.from(Float32Array.from(vector).buffer).toString("base64");
    return { whole: { object: "list", model: body.model, usage: { prompt_tokens: 6 * inputs.length, total_tokens: 6 * inputs.length },
      data: inputs.map((_, index) => ({ object: "embedding", index, embedding: body.encoding_format === "base64" ? packed : vector })) } };
  },

  "/v1/messages": (body) => {
    const answer = answerTo(body.messages);
    if (answer === undefined) return undefined;
    const { text, call } = answer;
    const block = call ? { type: "tool_use", id: call.id, name: call.name, input: JSON.parse(call.arguments) } : { type: "text", text };
    // Anthropic counts cached tokens separately.
    const counted = { input_tokens: answer.input - answer.cached, cache_read_input_tokens: answer.cached, cache_creation_input_tokens: 0 };
    const finish = { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null };
    const base = { id: "msg_1", type: "message", role: "assistant", model: body.model };
    return {
      whole: { ...base, ...finish, content: [block], usage: { ...counted, output_tokens: answer.output } },
      parts: [
        { type: "message_start", message: { ...base, content: [], stop_reason: null, stop_sequence: null, usage: { ...counted, output_tokens: 1 } } },
        { type: "content_block_start", index: 0, content_block: call ? { ...block, input: {} } : { type: "text", text: "" } },
        ...(call ? [{ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: call.arguments } }]
          : words(text).map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }))),
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: finish, usage: { output_tokens: answer.output } },
        { type: "message_stop" },
      ],
    };
  },
};

async function read(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

// startModel serves the APIs on a free port.
export async function startModel() {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await read(request));
    const answer = apis[new URL(request.url, "http://localhost").pathname]?.(body);
    await pause();
    if (answer === undefined) {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: failure } }));
      return;
    }
    if (!body.stream) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.whole));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const part of answer.parts) {
      const name = part.type ? `event: ${part.type}\n` : "";
      response.write(`${name}data: ${typeof part === "string" ? part : JSON.stringify(part)}\n\n`);
      await pause();
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
