const { compactions } = require('./program.cjs');

test('one compaction with each example', async () => {
  expect(await compactions()).toEqual({ incident: 1, redaction: 1 });
});
