import type { Config } from 'jest';

const config: Config = {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/.config/before-tests.mjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/test/consumers/', '/test/faults/', '/test/pages/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.stryker-tmp/'],
  transform: { '^.+\\.ts$': ['ts-jest', { diagnostics: false }] },
  testTimeout: 30_000,
  maxWorkers: '100%',
  reporters: ['default', '<rootDir>/.config/closing-line.cjs'],
};

export default config;
