// Runs every benchmark in turn and prints one table: what was measured, what it may be at most, and whether it holds.
//
//   npm run build && npm run bench [-- --sessions DIR]
import { runAndPrint } from './rows.mjs';

const BENCHES = ['dispatch', 'counting', 'plan', 'turn', 'restore', 'background', 'live', 'page', 'process'];
/** Those that look at session files. */
const ON_SESSIONS = ['process', 'background'];

const held = BENCHES.map((bench) => runAndPrint(bench, ON_SESSIONS.includes(bench) ? process.argv.slice(2) : []));
process.exitCode = held.every(Boolean) ? 0 : 1;
