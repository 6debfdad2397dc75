const { compactions } = require('./program.cjs');

void compactions().then((counts) => process.stdout.write(JSON.stringify(counts)));
