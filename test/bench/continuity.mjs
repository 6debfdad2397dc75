// How much of what an agent needed next stands in its compacted context, on real sessions, beside common policies at equal
// tokens. docs/continuity.md defines the measures and tells how to read them.
//
//   npm run bench:continuity -- --sessions DIR       (--help tells the rest)
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const cwd = join(import.meta.dirname, '../..');
require('ts-node').register({ transpileOnly: true, cwd });
process.exitCode = await require('./continuity/main.ts').main(process.argv.slice(2));
