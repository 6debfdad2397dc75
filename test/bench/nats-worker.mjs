// A process that serves compaction jobs, one at a time: `nats-worker.mjs llm SERVER` with the file-reading model,
// `nats-worker.mjs MS SERVER` with a summary after so many milliseconds.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerParent } from './child.mjs';
import { startKernel } from './nats-agent.mjs';
import { busOn } from './nats-bus.mjs';
import { fileReadingModel, SUMMARY } from './nats-model.mjs';

const require = createRequire(import.meta.url);
const { COMPACT_WORKER } = require('../../dist/plugins/compaction/index.js');
const { serveCompactWorker } = require('../../dist/plugins/compaction/workers/serve.js');

const [kind, server] = process.argv.slice(2);
const bus = await busOn(server);
serveCompactWorker(bus, kind === 'llm' ? await modelWorker() : patientWorker(Number(kind)));
await bus.link.flush();
answerParent(() => undefined);

async function modelWorker() {
  const kernel = await startKernel({ worker: 'llm' }, { model: fileReadingModel() });
  return kernel.get(COMPACT_WORKER);
}

function patientWorker(ms) {
  return {
    name: 'patient',
    async run(_job, desk, { signal }) {
      await sleep(ms, undefined, { signal });
      await desk.call('write_summary', { text: SUMMARY }, signal);
      return { usage: { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 } };
    },
  };
}
