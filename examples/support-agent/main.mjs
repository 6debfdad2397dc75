// A support agent without any files: its documents are tickets. A prompt is a line of standard input.
import { createInterface } from 'node:readline';
import { createAgent, defaultService, defineTool, modelFromSettings } from 'pith';
import { stockPlugins } from 'pith/plugins';
import { SUMMARY_FORMAT } from 'pith/plugins/compaction';
import { supportFormat } from './summary-format.mjs';
import { ticketFiles, tickets } from './tickets.mjs';

const answerTicket = defineTool({
  name: 'answer_ticket',
  description: 'Sends an answer to the customer of a ticket. It cannot be taken back.',
  kind: 'write',
  input: {
    type: 'object',
    properties: { ticket: { type: 'string', description: 'Such as ticket:1234.' }, text: { type: 'string' } },
    required: ['ticket', 'text'],
  },
  paths: (args) => [/** @type {{ ticket: string }} */ (args).ticket],
  async run(args) {
    const { ticket, text } = /** @type {{ ticket: string, text: string }} */ (args);
    const number = ticketFiles.canonical(ticket).replace('ticket:', '');
    const found = tickets.get(number);
    if (found === undefined) return { summary: `There is no ticket ${number}.`, isError: true };
    found.messages.push(`Desk: ${text}`);
    return `The answer to ${found.customer} was sent.`;
  },
});

const { OPENAI_BASE_URL = 'http://localhost:11434/v1', MODEL = 'qwen3' } = process.env;
const agent = await createAgent({
  plugins: await Promise.all([
    stockPlugins.tracker(), // remembers the tickets that were worked on
    stockPlugins.prune(),
    stockPlugins.compaction(),
    stockPlugins['auto-read-budget'](),
    stockPlugins.guard(),
    stockPlugins['file-tools'](), // read_file alone: tickets are neither listed nor written
    stockPlugins.recall(),
  ]),
  config: {
    compaction: {
      compactThreshold: '75%',
      compactRequestThreshold: '90%',
      retainedTokens: 3000,
      autoReadBudget: 3000,
    },
  },
  system: 'You are a support agent. Read a ticket with read_file("ticket:NUMBER") before you answer it.',
  tools: answerTicket,
  files: ticketFiles,
  model: modelFromSettings({
    provider: 'openai-compatible',
    model: MODEL,
    baseUrl: OPENAI_BASE_URL,
    ...(process.env.OPENAI_API_KEY !== undefined && { apiKeyEnv: 'OPENAI_API_KEY' }),
    contextWindow: 32_768,
    maxOutputTokens: 4_096,
  }),
  defaults: [defaultService(SUMMARY_FORMAT, () => supportFormat)],
});
agent.kernel.bus.on('compaction.done', ({ before, after, marks }) =>
  console.log(`[compacted: ${before} → ${after} tokens, tickets read again: ${marks}]`),
);

const conversation = await agent.open();
for await (const prompt of createInterface({ input: process.stdin })) {
  for await (const event of conversation.send(prompt)) {
    if (event.type === 'text') process.stdout.write(event.text);
    if (event.type === 'tool-result') console.log(`[${event.call.name}: ${event.result.summary}]`);
    if (event.type === 'end') console.log(event.end.error?.message ?? `[${event.end.outcome}]`);
  }
}
await agent.close();
