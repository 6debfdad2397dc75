// The tests of one room, as cheap as they can be: each of hundreds of mutants runs them anew.
const rooms = require('./mutation-rooms.cjs');

module.exports = {
  rootDir: '..',
  globalSetup: '<rootDir>/.config/before-tests.mjs',
  testEnvironment: require.resolve('./mutation-environment.cjs'),
  setupFiles: ['<rootDir>/.config/mutation-properties.cjs'],
  roots: ['<rootDir>/test'],
  testMatch: rooms[process.env.MUTATION_ROOM].tests.map((tests) => `<rootDir>/${tests}`),
  transform: { '^.+\\.ts$': ['ts-jest', { diagnostics: false }] },
  testTimeout: 30_000,
};
