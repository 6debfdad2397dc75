// A coding agent as pith.toml describes it. It works in the folder where it is started; a prompt is a line of standard input.
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { agentFromManifest, createAgent } from 'pith';
import { loadManifest } from 'pith/manifest';
import { stockPlugins } from 'pith/plugins';

const { OPENAI_BASE_URL, MODEL } = process.env;
const manifest = await loadManifest({
  path: fileURLToPath(new URL('pith.toml', import.meta.url)),
  stock: stockPlugins,
  flags: {
    'agent.root': '.',
    'session.dir': '.pith/sessions',
    'model.base_url': OPENAI_BASE_URL,
    'model.model': MODEL,
  },
});
const agent = await createAgent(await agentFromManifest(manifest));
agent.kernel.bus.on('compaction.done', ({ before, after }) => console.log(`[compacted: ${before} → ${after} tokens]`));

const conversation = await agent.open(process.argv[2]); // an id goes on with that session
console.log(`[session ${conversation.session.id}]`);
for await (const prompt of createInterface({ input: process.stdin })) {
  for await (const event of conversation.send(prompt)) {
    if (event.type === 'text') process.stdout.write(event.text);
    if (event.type === 'tool-call') console.log(`[${event.call.name} ${JSON.stringify(event.call.arguments)}]`);
    if (event.type === 'end') console.log(event.end.error?.message ?? `[${event.end.outcome}]`);
  }
}
await agent.close();
