// The suites that bear on what is mutated; slow ones that run whole processes are left out.
module.exports = {
  rootDir: '..',
  testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
  roots: ['<rootDir>/test/context', '<rootDir>/test/tokens', '<rootDir>/test/plugins', '<rootDir>/test/kernel'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': ['ts-jest', { diagnostics: false }] },
  testTimeout: 30_000,
};
