// A worker that is none of ours: it knows docs/protocol.md and a NATS client. Serves one pool, one job at a time.
// node plain-worker.mjs URL NAME
import { connect, headers } from 'nats';

const [url, name] = process.argv.slice(2);
const HEARTBEAT_MS = 5000;
const RESEND_MS = 1000;
const nc = await connect({ servers: url, name, inboxPrefix: `_INBOX.${name}` });
const encode = (body) => new TextEncoder().encode(JSON.stringify(body));
const statusOf = (message) => message.headers?.get('Nats-Service-Error-Code') || undefined;
const frame = (type, seq) => {
  const head = headers();
  head.set('Pith-Type', type);
  if (seq !== undefined) head.set('Pith-Seq', String(seq));
  return head;
};

/** Sends a frame until it is answered. */
async function requested(to, type, body, seq) {
  for (;;) {
    try {
      const answer = await nc.request(to, encode(body), { headers: frame(type, seq), timeout: RESEND_MS });
      if (statusOf(answer) === '410') throw new Error('the job is over');
      if (statusOf(answer) !== '429') return answer;
    } catch (error) {
      if (error.code !== 'TIMEOUT') throw error;
    }
  }
}

async function work(job, to) {
  let asked = 0;
  const ask = async (tool, args) => {
    const answer = await requested(to, 'ask', { tool, args }, ++asked);
    if (statusOf(answer)) return { summary: answer.json().message, isError: true };
    return answer.json();
  };
  const [first, refused, unknown] = await Promise.all([
    ask('read_history', { from: job.range.from, limit: 5 }),
    ask('read_file', { path: '../../etc/passwd' }),
    ask('run_command', { command: 'ls' }),
  ]);
  nc.publish(to, encode({ phase: 'summary', tokens: 12, toCome: true }), { headers: frame('progress', 1) });
  for (const path of job.defaultReferences.slice(0, 1)) await ask('mark_read_required', { path });
  const headings = job.format.instructions.match(/^## .*$/gm) ?? [];
  const text = headings
    .map(
      (heading) =>
        `${heading}\n${heading === '## Current Work' ? `A plain client read ${first.content.length} characters.` : '(none)'}`,
    )
    .join('\n\n');
  const written = await ask('write_summary', { text });
  console.log(
    JSON.stringify({ refused: refused.isError, unknown: unknown.summary, written: written.isError ?? false }),
  );
  const usage = { requests: 0, inputTokens: 12, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 3 };
  await requested(to, 'result', { model: 'plain', usage });
}

const jobs = new Set();
nc.subscribe('pith.v1.job.default.default', {
  queue: 'pith-compact',
  callback(_, offer) {
    const job = offer.json();
    jobs.add(`${job.id} ${offer.headers.get('Pith-Attempt')}`);
    nc.publish(offer.reply, encode({ worker: name, heartbeatMs: HEARTBEAT_MS }), { headers: frame('accepted') });
    const beat = () =>
      nc
        .request(offer.reply, encode({}), { headers: frame('heartbeat'), timeout: HEARTBEAT_MS })
        .catch(() => undefined);
    void beat();
    const beats = setInterval(beat, HEARTBEAT_MS);
    work(job, offer.reply)
      .catch((error) => console.log(JSON.stringify({ failed: error.message })))
      .finally(() => clearInterval(beats));
  },
});
nc.subscribe(`pith.v1.ctl.${name}.probe`, {
  callback(_, probe) {
    const { job, attempt } = probe.json();
    probe.respond(encode({ known: jobs.has(`${job} ${attempt}`) }));
  },
});
await nc.flush();
console.log('"ready"');
