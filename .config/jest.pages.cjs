// Pages in a real browser: apart from the tests of `npm test`, since not every machine has one.
module.exports = {
  rootDir: '..',
  testEnvironment: 'node',
  globalSetup: '<rootDir>/.config/before-pages.mjs',
  roots: ['<rootDir>/test/pages'],
  testMatch: ['**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.stryker-tmp/'],
  transform: { '^.+\\.ts$': ['ts-jest', { diagnostics: false }] },
  testTimeout: 120_000,
  maxWorkers: 2,
  reporters: ['default', '<rootDir>/.config/closing-line.cjs'],
};
