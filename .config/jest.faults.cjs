// Faults between real processes: slower than the tests of `npm test`, and one after the other, since they wait for deadlines.
module.exports = {
  rootDir: '..',
  testEnvironment: 'node',
  globalSetup: '<rootDir>/.config/before-tests.mjs',
  roots: ['<rootDir>/test/faults'],
  testMatch: ['**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.stryker-tmp/'],
  transform: { '^.+\\.ts$': ['ts-jest', { diagnostics: false }] },
  testTimeout: 60_000,
  maxWorkers: 1,
  reporters: ['default', '<rootDir>/.config/closing-line.cjs'],
};
