// One end of a measured pair: `nats-peer.mjs serve|connect MODULE SERVER`. A requester measures what it is told to.
import { performance } from 'node:perf_hooks';
import { answerParent } from './child.mjs';
import { median } from './median.mjs';

const SAMPLES = 10;

const [role, path, server] = process.argv.slice(2);
const { connect, serve } = await import(path);
if (role === 'serve') {
  await serve(server);
  answerParent(() => undefined);
} else {
  const request = await connect(server);
  answerParent(({ body, inFlight, ms }) => measure(request, body, inFlight, ms));
}

/** The best of some samples, since what disturbs one makes it slower only: requests a second, and the median of one in ms. */
async function measure(request, body, inFlight, ms) {
  const samples = [];
  for (let n = 0; n < SAMPLES; n++) samples.push(await sample(request, body, inFlight, ms / SAMPLES));
  return {
    rate: Math.max(...samples.map(({ rate }) => rate)),
    latency: Math.min(...samples.map(({ latency }) => latency)),
  };
}

/** Requests for a while, so many at a time. */
async function sample(request, body, inFlight, ms) {
  const latencies = [];
  const begun = performance.now();
  const until = begun + ms;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let now = begun; now < until;) {
        const reply = await request(body);
        if (reply.items.length !== body.items.length) throw new Error('The reply is not the body of the request.');
        const then = now;
        now = performance.now();
        latencies.push(now - then);
      }
    }),
  );
  return { rate: (latencies.length / (performance.now() - begun)) * 1000, latency: median(latencies) };
}
