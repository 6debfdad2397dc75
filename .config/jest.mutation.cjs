// The tests of the rooms that are mutated, as cheap as they can be: each of more than a thousand mutants runs them anew.
// Only tests that import what is mutated within these roots count as related to it.
module.exports = {
  rootDir: '..',
  testEnvironment: require.resolve('./mutation-environment.cjs'),
  setupFiles: ['<rootDir>/.config/mutation-properties.cjs'],
  roots: ['<rootDir>/test'],
  testMatch: [
    '<rootDir>/test/{context,tokens,kernel}/*.test.ts',
    '<rootDir>/test/plugins/compaction/{plan,trim}.test.ts',
    '<rootDir>/test/plugins/auto-read-budget/*.test.ts',
  ],
  transform: { '^.+\\.ts$': ['ts-jest', { diagnostics: false }] },
  testTimeout: 30_000,
};
