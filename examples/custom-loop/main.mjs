// A loop of one's own: the host asks its model itself, Pith's driver keeps the session and its context.
import { createInterface } from 'node:readline';
import {
  createKernel,
  defaultService,
  defineTool,
  drive,
  LIMITS,
  messageOf,
  modelLimits,
  openSession,
  PithError,
} from 'pith';
import { writeOpenAiChat } from 'pith/formats';
import { stockPlugins } from 'pith/plugins';

const { OPENAI_BASE_URL = 'http://localhost:11434/v1', OPENAI_API_KEY = 'none', MODEL: model = 'qwen3' } = process.env;

const readLog = defineTool({
  name: 'read_log',
  description: 'Reads the newest lines of the log of a service.',
  kind: 'read',
  input: {
    type: 'object',
    properties: { service: { type: 'string' }, lines: { type: 'integer', minimum: 1, maximum: 1000 } },
    required: ['service', 'lines'],
  },
  paths: () => [],
  run(args) {
    const { service, lines } = /** @type {{ service: string, lines: number }} */ (args);
    return Array.from({ length: lines }, (_, n) => `${service} request ${n} answered in ${(n * 37) % 211} ms`).join(
      '\n',
    );
  },
});

const kernel = await createKernel({
  plugins: await Promise.all([stockPlugins.prune(), stockPlugins.compaction()]),
  config: { compaction: { compactThreshold: '75%', compactRequestThreshold: '90%', retainedTokens: 4000 } },
  defaults: [defaultService(LIMITS, () => (name) => modelLimits(name, { contextWindow: 32_768, maxOutput: 4_096 }))],
});
kernel.bus.on('compaction.done', ({ trigger, before, after }) =>
  console.log(`[${trigger}: ${before} → ${after} tokens]`),
);

const { session } = await openSession(kernel);
const driver = drive(kernel, session, { system: 'You watch over services.', model, tools: [readLog] });
await driver.start(false);
for await (const prompt of createInterface({ input: process.stdin })) await turn(prompt);
await driver.close();
await kernel.stop();

/**
 * One turn: requests until the model calls no tool any more.
 *
 * @param {string} prompt
 */
async function turn(prompt) {
  await driver.prompt(prompt);
  try {
    for (;;) {
      const calls = await driver.afterReply(await ask());
      await Promise.all(calls.map((call) => driver.toolCall(call)));
      if (calls.length > 0) continue;
      const goesOn = await driver.end('finished'); // the checkpoint between turns
      if (!goesOn) return;
    }
  } catch (error) {
    console.error(messageOf(error));
    await driver.end('failed', messageOf(error));
  }
}

/**
 * One reply. What the provider refuses as too large is prepared again, until the driver gives up.
 *
 * @param {PithError} [overflow]
 * @returns {Promise<import('pith').DrivenReply>}
 */
async function ask(overflow) {
  const { context, tools } = await driver.beforeRequest(overflow); // the checkpoint between requests
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({
      model,
      messages: writeOpenAiChat(context),
      tools: tools.map((tool) => ({ type: 'function', function: tool })),
    }),
    signal: driver.signal,
  });
  /** @type {any} */
  const body = await response.json();
  if (body.error?.code === 'context_length_exceeded')
    return ask(new PithError('PITH_LLM_OVERFLOW', body.error.message));
  if (!response.ok) throw new PithError('PITH_LLM_REQUEST', `${response.status} ${JSON.stringify(body)}`);

  const { content, tool_calls = [] } = body.choices[0].message;
  if (content) console.log(content);
  return {
    items: [
      { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: content ?? '' }] },
      ...tool_calls.map((/** @type {any} */ { id, function: { name, arguments: text } }) => ({
        kind: 'tool_call',
        callId: id,
        name,
        arguments: JSON.parse(text),
      })),
    ],
    usage: {
      inputTokens: body.usage.prompt_tokens,
      outputTokens: body.usage.completion_tokens,
      cacheReadTokens: body.usage.prompt_tokens_details?.cached_tokens ?? 0,
    },
  };
}
