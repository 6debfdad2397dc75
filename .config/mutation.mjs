// Mutation tests of all rooms, or of one: npm run test:mutation -- [ROOM [FILE …]]
import { spawnSync } from 'node:child_process';
import rooms from './mutation-rooms.cjs';

const [only, ...files] = process.argv.slice(2);
const failed = (only === undefined ? Object.keys(rooms) : [only]).filter((room) => {
  const mutate = files.length > 0 ? ['--mutate', files.join(',')] : [];
  const env = { ...process.env, MUTATION_ROOM: room };
  return spawnSync('stryker', ['run', '.config/stryker.mjs', ...mutate], { stdio: 'inherit', env }).status !== 0;
});
if (failed.length > 0) console.error(`Too many mutants live in: ${failed.join(', ')}.`);
process.exitCode = failed.length > 0 ? 1 : 0;
