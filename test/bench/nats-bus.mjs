// The bus over a server, as all benchmarks use it.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { connected, createNatsBus, openLink } = require('../../dist/core/bus/nats/index.js');

/** A bus that is connected. */
export async function busOn(servers) {
  const link = await openLink({ servers });
  await connected(link);
  return createNatsBus(link);
}
