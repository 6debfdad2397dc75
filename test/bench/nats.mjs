// Runs every benchmark over a NATS server of its own and prints one table.
//
//   npm run build && npm run bench:nats
import { runAndPrint } from './rows.mjs';

const BENCHES = ['nats-requests', 'nats-compaction', 'nats-pool', 'nats-heap'];

const held = BENCHES.map((bench) => runAndPrint(bench, []));
process.exitCode = held.every(Boolean) ? 0 : 1;
