// The model of LangChain for the OpenAI responses API, which plays replies back as the provider gave them, ids and all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatOpenAI } from '@langchain/openai';
import { createPith } from 'pith/langchain';
import { CONFIG, createReader, LIMITS, listen, runAll } from './long-session.mjs';

/** Answers as the endpoint does, and keeps what it would refuse: reasoning of another context, items without theirs. */
function createEndpoint() {
  const [requests, violations, steps] = [[], [], new Map()];
  /** The system content that reasoning was made under, and the reasoning that an item was made with. */
  const [madeOn, madeWith] = [new Map(), new Map()];

  function check(input, system) {
    const report = (text) => violations.push(`request ${requests.length - 1}: ${text}`);
    const called = new Set(input.filter(({ type }) => type === 'function_call').map(({ call_id }) => call_id));
    const results = input.filter(({ type }) => type === 'function_call_output').map(({ call_id }) => call_id);
    if (results.some((id) => !called.has(id)) || new Set(results).size !== called.size)
      report('calls unlike their results');
    const ids = new Set(input.flatMap(({ id }) => id ?? []));
    for (const [at, { type, id }] of input.entries()) {
      if (madeWith.has(id) && !ids.has(madeWith.get(id))) report(`${id} without its required reasoning`);
      if (type !== 'reasoning') continue;
      if (!['function_call', 'message'].includes(input[at + 1]?.type))
        report(`${id} without its required following item`);
      if (madeOn.get(id) !== system) report(`${id} of another context`);
    }
  }

  function answer({ input }) {
    const system = JSON.stringify(input.filter(({ role }) => role === 'system' || role === 'developer'));
    requests.push(input);
    check(input, system);
    const [, task] = /.*(Task \d+)/s.exec(JSON.stringify(input.findLast(({ role }) => role === 'user')));
    const [step, n] = [steps.get(task) ?? 0, requests.length];
    steps.set(task, step + 1);
    madeOn.set(`rs_${n}`, system);
    const reasoning = { type: 'reasoning', id: `rs_${n}`, summary: [{ type: 'summary_text', text: `Step ${step}.` }] };
    const id = `${step < 20 ? 'fc' : 'msg'}_${n}`;
    madeWith.set(id, `rs_${n}`);
    const args = JSON.stringify({ path: `src/file-${n}.ts` });
    const content = [{ type: 'output_text', text: `Done with: ${task}`, annotations: [] }];
    const said =
      step < 20
        ? { type: 'function_call', id, call_id: `call_${n}`, name: 'read_file', arguments: args, status: 'completed' }
        : { type: 'message', id, role: 'assistant', status: 'completed', content };
    const [input_tokens, output_tokens] = [Math.ceil(JSON.stringify(input).length / 4), 60];
    return {
      id: `resp_${n}`,
      object: 'response',
      created_at: 1,
      model: 'gpt-of-the-test',
      status: 'completed',
      output: [{ ...reasoning, encrypted_content: 'x'.repeat(400) }, said],
      usage: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
    };
  }

  const fetch = async (_, { body }) => Response.json(answer(JSON.parse(body)));
  return { fetch, requests, violations };
}

test('kept replies go back as the provider gave them, and none asks for reasoning that is not sent', async (t) => {
  const endpoint = createEndpoint();
  const model = new ChatOpenAI({
    model: 'gpt-of-the-test',
    apiKey: 'key-of-the-test',
    maxRetries: 0,
    useResponsesApi: true,
    configuration: { fetch: endpoint.fetch },
  });
  const pith = await createPith({ limits: LIMITS, config: CONFIG });
  t.after(() => pith.close());
  const { agent } = createReader({ model, tokens: 1_200, middleware: [pith.middleware()] });
  const told = listen(pith, endpoint);
  const ends = await runAll({ agent, thread: 'responses', runs: 4, between: () => pith.idle() });

  assert.deepEqual(endpoint.violations, []);
  assert.deepEqual(
    ends,
    [0, 1, 2, 3].map((n) => `Done with: Task ${n}`),
  );
  assert.deepEqual(told.host, []);
  assert.ok(told.done.length >= 3, JSON.stringify(told.done));
  assert.ok(endpoint.requests.at(-1).some(({ type }) => type === 'reasoning'));
});
