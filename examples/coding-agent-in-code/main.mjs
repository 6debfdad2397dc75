// The agent of ../coding-agent, put together in code. What its permissions leave open is asked on the terminal.
import { createInterface } from 'node:readline/promises';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createAgent, createAiSdkClient, createJsonlStore, defaultService } from 'pith';
import { stockPlugins } from 'pith/plugins';
import { APPROVAL } from 'pith/plugins/permissions';

const { OPENAI_BASE_URL = 'http://localhost:11434/v1', OPENAI_API_KEY = '', MODEL = 'qwen3-coder' } = process.env;
const endpoint = createOpenAICompatible({
  name: 'endpoint',
  baseURL: OPENAI_BASE_URL,
  apiKey: OPENAI_API_KEY,
  includeUsage: true, // what the provider measured is what the thresholds go by
});

/** @type {import('pith/plugins/permissions').Approval} */
const terminal = {
  async ask({ calls }, signal) {
    const answer = await lines.question(`${calls.join(', ')}: once, session or no? `, { signal });
    return answer === 'once' || answer === 'session' ? answer : 'no';
  },
};

const agent = await createAgent({
  plugins: await Promise.all([
    stockPlugins.tracker(),
    stockPlugins.prune(),
    stockPlugins.compaction(),
    stockPlugins['auto-read-budget'](),
    stockPlugins.guard(),
    stockPlugins['file-tools'](),
    stockPlugins.shell(),
    stockPlugins.permissions(),
    stockPlugins.instructions(),
    stockPlugins.todo(),
    stockPlugins.recall(),
  ]),
  config: {
    compaction: {
      compactThreshold: '75%',
      compactRequestThreshold: '90%',
      retainedTokens: 4000,
      autoReadBudget: 4000,
    },
    permissions: {
      allow: ['write_file(**)', 'edit_file(**)', 'run_command(npm test *)', 'run_command(git diff *)'],
      deny: ['*(**/.env*)', 'run_command(git push *)'],
    },
  },
  system:
    'You are a careful engineer. Read before you change, run the tests after it, and keep a list of what is left to do.',
  model: createAiSdkClient({ model: endpoint(MODEL), limits: { contextWindow: 32_768, maxOutput: 4_096 } }),
  store: createJsonlStore({ dir: '.pith/sessions' }),
  defaults: [defaultService(APPROVAL, () => terminal)],
});
agent.kernel.bus.on('compaction.done', ({ before, after }) => console.log(`[compacted: ${before} → ${after} tokens]`));

const conversation = await agent.open(process.argv[2]);
console.log(`[session ${conversation.session.id}]`);
const lines = createInterface({ input: process.stdin, output: process.stdout });
for await (const prompt of lines) {
  for await (const event of conversation.send(prompt)) {
    if (event.type === 'text') process.stdout.write(event.text);
    if (event.type === 'tool-call') console.log(`[${event.call.name} ${JSON.stringify(event.call.arguments)}]`);
    if (event.type === 'end') console.log(event.end.error?.message ?? `[${event.end.outcome}]`);
  }
}
await agent.close();
