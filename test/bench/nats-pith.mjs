// Request and reply over the bus, each body checked by its schema where it is sent and where it arrives.
import { z } from 'zod';
import { busOn } from './nats-bus.mjs';

const body = z.object({
  id: z.string(),
  items: z.array(z.object({ number: z.number().int(), role: z.enum(['user', 'assistant']), text: z.string() })),
});
const CHANNEL = { subject: 'bench.echo', request: body, reply: body };

/** Answers each request with its body. */
export async function serve(servers) {
  const bus = await busOn(servers);
  bus.serve(CHANNEL, async (request) => request);
  await bus.link.flush();
}

/** Returns what sends one request and resolves to its reply. */
export async function connect(servers) {
  const bus = await busOn(servers);
  return (request) => bus.request(CHANNEL, request, { deadlineMs: 30_000 });
}
