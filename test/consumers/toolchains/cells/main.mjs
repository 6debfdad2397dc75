import { compactions } from './program.mjs';

process.stdout.write(JSON.stringify(await compactions()));
