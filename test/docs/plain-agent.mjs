// An agent that is none of ours: it knows docs/protocol.md and a NATS client. Has one job done and prints what came of it.
// node plain-agent.mjs URL NAME
import { randomBytes } from 'node:crypto';
import { connect, headers } from 'nats';

const [url, name] = process.argv.slice(2);
const nc = await connect({ servers: url, name, inboxPrefix: `_INBOX.${name}` });
const encode = (body) => new TextEncoder().encode(JSON.stringify(body));
const random = () => randomBytes(12).toString('hex');

const tool = (name, properties, required) => ({ name, parameters: { type: 'object', properties, required } });
const job = {
  id: `compaction-${random()}`,
  sessionId: 'any name / at all',
  overview: 'The user asked for a port of the parser.',
  range: { from: 0, to: 1 },
  defaultReferences: [],
  format: { name: 'plain', instructions: 'One paragraph.' },
  tools: [
    tool('read_history', { from: { type: 'integer' } }, ['from']),
    tool('write_summary', { text: { type: 'string' } }, ['text']),
  ],
  limits: { summaryMaxTokens: 4000, autoReadBudget: 0, maxInputTokens: 50_000, timeoutMs: 60_000 },
  toCome: 'ignored',
};

const inbox = `_INBOX.${name}.${random()}`;
const frames = [];
const answers = new Map();
let summary;

/** The desk of this agent. */
function answerOf({ tool, args }) {
  if (tool === 'write_summary') {
    summary = args.text;
    return { summary: 'Summary taken.' };
  }
  return { summary: 'Read the history.', content: '#0 user (9 tokens)\n  Port the parser.\n(this is the end)' };
}

const head = headers();
head.set('Pith-Major', '1');
head.set('Pith-Job', job.id);
head.set('Pith-Attempt', '1');
head.set('Pith-Deadline-Ms', '60000');
head.set('Pith-Heartbeat-Ms', '5000');
const subscription = nc.subscribe(`${inbox}.*`);
nc.publish('pith.v1.job.default.default', encode(job), { reply: `${inbox}.${random()}`, headers: head });

for await (const message of subscription) {
  const type = message.headers?.get('Pith-Type') || `status ${message.headers?.code}`;
  frames.push(type);
  if (type === 'ask') {
    const seq = message.headers.get('Pith-Seq');
    if (!answers.has(seq)) answers.set(seq, answerOf(message.json()));
    message.respond(encode(answers.get(seq)));
  } else if (message.reply) message.respond(encode({}));
  if (type === 'result' || type === 'error' || type.startsWith('status')) {
    console.log(JSON.stringify({ frames, summary, report: type === 'result' ? message.json() : null }));
    break;
  }
}
await nc.close();
