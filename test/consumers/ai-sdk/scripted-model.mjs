// A model of the host that works through a script: so many tool calls, then a text. It keeps every prompt that it was sent.

/** Tokens of a prompt, roughly, as a provider would report them. */
export const tokensOf = (value) => Math.ceil(JSON.stringify(value).length / 4);

const SUMMARY = [
  '## Completed Tasks\n(none)',
  '## Active Task\n### Parts\nThe parts were read one by one.',
  '## Key Decisions\n(none)',
  '## User Directives\n(none)',
  '## Current Work\nReading on.',
].join('\n\n');

/** As the one who writes summaries: one call, then the end. */
function summaryContent({ prompt }) {
  if (prompt.at(-1).role === 'tool') return [{ type: 'text', text: 'Written.' }];
  const input = JSON.stringify({ text: SUMMARY });
  return [{ type: 'tool-call', toolCallId: 'summary', toolName: 'write_summary', input }];
}

/** The parts of a reply that calls a tool, or ends the run. */
function contentOf(call, isLast, thought) {
  const id = `call-${call}`;
  const path = `src/part-${call % 7}.ts`;
  if (isLast) return [{ type: 'text', text: `Run done after call ${call}.` }];
  return [
    { type: 'reasoning', text: `I look at ${path} next. ${thought}` },
    { type: 'text', text: `Reading ${path}. ${thought}` },
    { type: 'tool-call', toolCallId: id, toolName: 'read_file', input: JSON.stringify({ path }) },
  ];
}

function* partsOf(content, finish) {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'response-metadata', id: 'r', modelId: 'mock', timestamp: new Date(0) };
  let id = 0;
  for (const part of content) {
    if (part.type === 'tool-call') {
      yield { type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName };
      yield { type: 'tool-input-delta', id: part.toolCallId, delta: part.input };
      yield { type: 'tool-input-end', id: part.toolCallId };
      yield part;
      continue;
    }
    id++;
    yield { type: `${part.type}-start`, id: String(id) };
    for (const delta of part.text.match(/.{1,8}/gs)) yield { type: `${part.type}-delta`, id: String(id), delta };
    yield { type: `${part.type}-end`, id: String(id) };
  }
  yield { type: 'finish', ...finish };
}

/**
 * `script.left` is how many tool calls are left of the run, `script.perRun` how many each later run makes. `script.thought` is
 * said beside each call, and `script.contentOf(call)` gives replies of another kind. `script.refuses(prompt, tokens)` may give an error to throw, or one under `inStream` that the stream
 * reports.
 */
export function scriptedModel(major, script) {
  const seen = [];
  const answer = (content, input) => {
    const calls = content.some(({ type }) => type === 'tool-call');
    const finishReason = major.reason(calls ? 'tool-calls' : 'stop');
    return { content, finish: { finishReason, usage: major.usage(input, tokensOf(content)) } };
  };
  const reply = (options) => {
    const input = tokensOf(options.prompt) + tokensOf(options.tools ?? []);
    if (options.tools?.some(({ name }) => name === 'write_summary')) return answer(summaryContent(options), input);
    seen.push({ prompt: options.prompt, tokens: input });
    const refusal = script.refuses?.(options.prompt, input);
    if (refusal !== undefined && refusal.inStream === undefined) throw refusal;
    const isLast = script.left === 0;
    if (isLast) script.left = script.perRun ?? 0;
    else if (refusal === undefined) script.left--;
    const content =
      isLast || !script.contentOf
        ? contentOf(seen.length, isLast, script.thought ?? '')
        : script.contentOf(seen.length);
    return { ...answer(content, input), refusal };
  };
  const model = new major.Mock({
    provider: script.provider ?? 'openai.responses',
    modelId: 'mock',
    doGenerate: async (options) => {
      const { content, finish } = reply(options);
      return { content, ...finish, warnings: [] };
    },
    doStream: async (options) => {
      const { content, finish, refusal } = reply(options);
      const parts = refusal === undefined ? partsOf(content, finish) : failing(refusal.inStream, finish);
      return { stream: ReadableStream.from(parts) };
    },
  });
  return { model, seen };
}

function* failing(error, finish) {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'error', error };
  yield { type: 'finish', ...finish };
}
