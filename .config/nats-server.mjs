// The NATS server that tests run against. Jest runs this before the tests (globalSetup) and the path is in NATS_SERVER_BIN
// from then on; alone: node .config/nats-server.mjs
import { provideProgram, whenAlone } from './needed-program.mjs';

const NATS_SERVER = {
  variable: 'NATS_SERVER_BIN',
  names: [process.platform === 'win32' ? 'nats-server.exe' : 'nats-server'],
  folders: ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin', '/home/linuxbrew/.linuxbrew/bin'],
  apt: 'nats-server',
  brew: ['nats-server'],
  ways: `No nats-server was found, so the tests that need one are skipped. Three ways to get it:
  - NATS_SERVER_BIN=/path/to/nats-server
  - apt-get install nats-server, or brew install nats-server
  - a release of https://github.com/nats-io/nats-server/releases in a folder of PATH
`,
};

/** Finds the server, or tries to install it. Never throws. */
export default function provideNatsServer() {
  return provideProgram(NATS_SERVER);
}

whenAlone(import.meta.url, provideNatsServer);
