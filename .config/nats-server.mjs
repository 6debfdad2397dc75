// The NATS server that tests run against: found, else installed by the system's package manager, else asked for.
// Jest runs this before the tests (globalSetup) and the path is in NATS_SERVER_BIN from then on; alone: node .config/nats-server.mjs
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const NAME = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';
const USUAL_FOLDERS = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
];
const WAYS = `No nats-server was found, so the tests that need one are skipped. Three ways to get it:
  - NATS_SERVER_BIN=/path/to/nats-server
  - apt-get install nats-server, or brew install nats-server
  - a release of https://github.com/nats-io/nats-server/releases in a folder of PATH
`;

/** The path of the binary, or undefined. */
export function findNatsServer() {
  const named = process.env.NATS_SERVER_BIN;
  if (named) return isExecutable(named) ? named : undefined;
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...USUAL_FOLDERS];
  return folders.map((folder) => join(folder, NAME)).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether a command ended well; it may take minutes, ask nothing and print nothing. */
function ran(command, ...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', HOMEBREW_NO_AUTO_UPDATE: '1' };
  return spawnSync(command, args, { stdio: 'ignore', timeout: 180_000, env }).status === 0;
}

function install() {
  if (ran('apt-get', '--version')) {
    const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
    if (asRoot.length > 0 && !ran(...asRoot, 'true')) return;
    const apt = [...asRoot, 'apt-get', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=15'];
    const got = () => ran(...apt, 'install', '-y', '--no-install-recommends', 'nats-server');
    if (!got() && ran(...apt, 'update')) got();
  } else if (ran('brew', '--version')) {
    ran('brew', 'install', 'nats-server');
  }
}

/** Finds the server, or tries to install it. Never throws. */
export default function provideNatsServer() {
  if (findNatsServer() === undefined && !process.env.NATS_SERVER_BIN) install();
  const found = findNatsServer();
  if (found !== undefined) process.env.NATS_SERVER_BIN = found;
  else {
    delete process.env.NATS_SERVER_BIN;
    process.stderr.write(WAYS);
  }
  return found;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = provideNatsServer();
  if (found !== undefined) process.stdout.write(`${found}\n`);
}
