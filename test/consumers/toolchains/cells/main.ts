import { compactions } from './program.js';

void compactions().then((counts) => process.stdout.write(JSON.stringify(counts)));
